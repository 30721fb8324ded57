import type { JsonSchema } from '../tool-source.ts';
import type { ApiAnswer } from './api-operation.ts';
import { isJsonRecord, type JsonRecord, listMember, recordMember } from './json-record.ts';
import type { References } from './references.ts';
import type { Note, SchemaConversion } from './schema-conversion.ts';

/** An answer's schema that is longer says more than a model can use, and is paid for with each list of tools. */
const MAX_OUTPUT_SCHEMA_LENGTH = 64_000;

const ANY_OTHER_ANSWER: JsonSchema = { type: 'object', description: 'Any other answer, as the API gave it.' };

/**
 * What the answers of an operation look like. The last form always fits: a client checks each answer and would take one
 * that strays from the description for a failure, after the call has had its effect. Undefined where nothing is described.
 */
export function outputSchemaOf(
  answer: ApiAnswer,
  context: {
    readonly references: References;
    readonly conversion: SchemaConversion;
    readonly note: Note;
    readonly noteOf: (reference: string, reason: string) => void;
  },
): JsonSchema | undefined {
  const { conversion, note, noteOf, references: all } = context;
  if (answer.schemas.length === 0) return undefined;
  try {
    const references = new Set<string>();
    const forms = answer.schemas.map((schema) => {
      const converted = conversion.convert(schema, 'from-api', note);
      for (const reference of converted.references) references.add(reference);
      return isObjectSchema(schema, all, 0) ? converted.schema : wrapped(converted.schema);
    });
    const definitions = conversion.definitions(references, 'from-api', MAX_OUTPUT_SCHEMA_LENGTH, noteOf);
    if (!definitions || definitions.size + JSON.stringify(forms).length > MAX_OUTPUT_SCHEMA_LENGTH) {
      note(`the description of its answer is longer than ${MAX_OUTPUT_SCHEMA_LENGTH / 1_000} kB and is not passed on`);
      return undefined;
    }
    return {
      type: 'object',
      anyOf: [...forms, ANY_OTHER_ANSWER],
      ...(references.size > 0 ? { $defs: definitions.schemas } : {}),
    };
  } catch (error) {
    note(`the description of its answer cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** What is no object stands in the member `result`: `structuredContent` is always an object. */
function wrapped(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { result: schema }, required: ['result'] };
}

function isObjectSchema(schema: unknown, references: References, depth: number): boolean {
  if (!isJsonRecord(schema) || depth > 8) return false;
  const record: JsonRecord = references.resolve(schema, 'a schema');
  if (record.type === 'object') return record.nullable !== true;
  if (record.type !== undefined) return false;
  if (Object.keys(recordMember(record, 'properties')).length > 0) return true;
  if (listMember(record, 'allOf').some((part) => isObjectSchema(part, references, depth + 1))) return true;
  const forms = [...listMember(record, 'oneOf'), ...listMember(record, 'anyOf')];
  return forms.length > 0 && forms.every((part) => isObjectSchema(part, references, depth + 1));
}

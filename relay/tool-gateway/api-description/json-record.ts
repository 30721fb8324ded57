/** A JSON object that came from outside; its members are not known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isJsonRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member, when it is a string. */
export function textMember(record: JsonRecord, name: string): string | undefined {
  const value = member(record, name);
  return typeof value === 'string' ? value : undefined;
}

/** The member, when it is an object; otherwise an empty one. */
export function recordMember(record: JsonRecord, name: string): JsonRecord {
  const value = member(record, name);
  return isJsonRecord(value) ? value : {};
}

/** The member, when it is a list; otherwise an empty one. */
export function listMember(record: JsonRecord, name: string): readonly unknown[] {
  const value = member(record, name);
  return Array.isArray(value) ? value : [];
}

/** An own member: names such as `constructor` come from a description as well as any other. */
export function member(record: JsonRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

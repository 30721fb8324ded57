import type { BodyKind } from './api-operation.ts';

/** `type/subtype` in lower case, without parameters. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase();
}

export function isJsonMediaType(mediaType: string): boolean {
  return /^(?:application|text)\/(?:json|[^/]+\+json)$/.test(essenceOf(mediaType));
}

export function isTextMediaType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return (
    /^text\//.test(essence) ||
    /[/+](?:xml|yaml|x-yaml|graphql|javascript|x-ndjson|jsonl|x-sh|sql|csv|toml)$/.test(essence) ||
    isJsonMediaType(essence)
  );
}

/** Which of our ways to send a body fits the media type. */
export function bodyKindOf(mediaType: string): BodyKind {
  const essence = essenceOf(mediaType);
  if (isJsonMediaType(essence) || essence === '*/*') return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  if (essence.startsWith('multipart/')) return 'multipart';
  return isTextMediaType(essence) ? 'text' : 'binary';
}

/** The media type that a body goes out with: never one with a wildcard. */
export function sentMediaType(mediaType: string): string {
  if (!mediaType.includes('*')) return mediaType.trim();
  const essence = essenceOf(mediaType);
  if (essence === '*/*') return 'application/json';
  if (essence === 'text/*') return 'text/plain';
  return essence === 'multipart/*' ? 'multipart/form-data' : 'application/octet-stream';
}

const KIND_ORDER: readonly BodyKind[] = ['json', 'form', 'multipart', 'text', 'binary'];

/** The lower, the better a model can write a body of this kind and media type. */
export function bodyRank(kind: BodyKind, mediaType: string): number {
  const rank = KIND_ORDER.indexOf(kind) * 3;
  if (kind !== 'json' || essenceOf(mediaType) === 'application/json') return rank;
  // A patch in the shape of the thing itself is the easiest to write of those.
  return essenceOf(mediaType) === 'application/merge-patch+json' ? rank + 1 : rank + 2;
}

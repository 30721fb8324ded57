import type { ComplexAttributeConverter } from 'lit';

/**
 * An attribute that holds a list: a JSON array of strings, or the items parted by `|` or line breaks, for hosts also by
 * commas and spaces (`separator`).
 */
export function listConverter(separator: RegExp): ComplexAttributeConverter<readonly string[]> {
  return {
    fromAttribute(value) {
      const items = value?.trim().startsWith('[') ? parsedList(value) : (value ?? '').split(separator);
      return items.map((item) => item.trim()).filter(Boolean);
    },
  };
}

function parsedList(json: string): string[] {
  try {
    const list: unknown = JSON.parse(json);
    if (Array.isArray(list)) return list.map(String);
  } catch {
    // Reported below, with a list of another kind.
  }
  console.warn(`parley-chat: expected a JSON array of strings, e.g. ["One","Two"], but got ${json.slice(0, 80)}`);
  return [];
}

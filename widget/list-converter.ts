import type { ComplexAttributeConverter } from 'lit';

/** An attribute that holds a list: its items parted by `separator`, blanks around them and empty ones left out. */
export function listConverter(separator: RegExp): ComplexAttributeConverter<readonly string[]> {
  return {
    fromAttribute: (value) =>
      (value ?? '')
        .split(separator)
        .map((item) => item.trim())
        .filter(Boolean),
  };
}

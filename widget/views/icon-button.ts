import { html, nothing, type TemplateResult } from 'lit';

export interface IconButton {
  readonly icon: TemplateResult;
  /** What it does: its name for assistive technology, and its tooltip. */
  readonly label: string;
  readonly part: string;
  /** Further classes, e.g. `filled` or `small`. */
  readonly look?: string;
  readonly isDisabled?: boolean;
  /** For a button that stays pressed. */
  readonly isPressed?: boolean;
  /** For a button that shows and hides something. */
  readonly isExpanded?: boolean;
  onClick(event: MouseEvent): void;
}

/** A button that shows a drawing instead of words. */
export function iconButton(button: IconButton): TemplateResult {
  const {
    icon,
    label,
    part,
    look = '',
    isDisabled = false,
    isPressed = nothing,
    isExpanded = nothing,
    onClick,
  } = button;
  return html`<button
    class="icon ${look}"
    part=${part}
    aria-label=${label}
    title=${label}
    aria-pressed=${isPressed}
    aria-expanded=${isExpanded}
    ?disabled=${isDisabled}
    @click=${onClick}
  >${icon}</button>`;
}

const FOCUSABLE =
  'button:not(:disabled), a[href], textarea:not(:disabled), input:not(:disabled), select:not(:disabled), summary, [tabindex="0"]';

/**
 * Keeps Tab inside a panel that covers the page. Nothing outside is made inert: the page's own elements are not ours to change.
 */
export function keepTabInside(event: KeyboardEvent, panel: HTMLElement): void {
  const focusable = focusableIn(panel);
  const first = focusable[0];
  const last = focusable.at(-1);
  if (!first || !last) return;
  const active = deepActiveElement();
  const isLeaving = event.shiftKey ? active === first || active === panel : active === last;
  if (!isLeaving) return;
  event.preventDefault();
  (event.shiftKey ? last : first).focus();
}

/** In the order of the tab key, with what the page has put into the slots. */
function focusableIn(root: Element): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (const element of root.querySelectorAll<HTMLElement>(`${FOCUSABLE}, slot`)) {
    if (element instanceof HTMLSlotElement) {
      for (const assigned of element.assignedElements()) found.push(...focusableIn(assigned), ...itself(assigned));
    } else if (element.checkVisibility()) found.push(element);
  }
  return found;
}

function itself(element: Element): HTMLElement[] {
  return element instanceof HTMLElement && element.matches(FOCUSABLE) ? [element] : [];
}

/** The element that has the focus, also inside shadow roots. */
export function deepActiveElement(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

import { html, type TemplateResult } from 'lit';

/** A line drawing in the colour of the text around it, hidden from assistive technology. `path` is drawn on 24 × 24. */
function icon(path: string): TemplateResult {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${path}></path></svg>`;
}

export const ICONS = {
  chat: icon('M12 4a8.5 8 0 0 0-7.3 12.1L3.5 20.5l4.7-1.3A8.5 8 0 1 0 12 4zM8.5 12h.01M12 12h.01M15.5 12h.01'),
  down: icon('M6 9.5l6 6 6-6'),
  close: icon('M6.5 6.5l11 11M17.5 6.5l-11 11'),
  more: icon('M12 5.5h.01M12 12h.01M12 18.5h.01'),
  send: icon('M12 19V5.5M6 11.5l6-6 6 6'),
  stop: icon('M7.5 7.5h9v9h-9z'),
  newest: icon('M12 5v13.5M6 12.5l6 6 6-6'),
  copy: icon('M9 9h10.5v11H9zM15 9V4.5H4.5V15H9'),
  done: icon('M5.5 12.5l4.5 4.5 8.5-9.5'),
  failed: icon('M12 7v6M12 16.5h.01M12 3.5a8.5 8.5 0 1 0 .01 0z'),
  unanswered: icon('M5.5 12h13'),
  running: icon('M12 3.5a8.5 8.5 0 1 1-8.5 8.5'),
  thumb: icon('M7.5 11v8.5h-3V11zM7.5 11l3.6-7c1.5 0 2.4 1 2.4 2.4V9.5h4.4a2 2 0 0 1 2 2.3l-1 6a2 2 0 0 1-2 1.7H7.5'),
};

import { css } from 'lit';

/** The panel, its header, its menu, the status line and the dialog. */
export const panel = css`
  .panel {
    display: flex;
    flex-direction: column;
    height: 100%;
    overflow: hidden;
    background: var(--_surface);
    outline: none;
  }
  .bubble > .panel,
  .cover > .panel {
    position: fixed;
    z-index: var(--parley-z-index, 9999);
    animation: rise 0.22s ease-out;
  }
  .bubble > .panel {
    --_side: calc(var(--_y) + var(--_launcher) + 12px);
    right: calc(var(--_x) + env(safe-area-inset-right));
    bottom: calc(var(--_side) + env(safe-area-inset-bottom));
    width: min(var(--parley-width, 408px), 100vw - 2 * var(--_x));
    height: min(var(--parley-height, 680px), 100dvh - var(--_y) - var(--_side));
    border-radius: var(--_radius);
    box-shadow: var(--_shadow);
  }
  .at-left.bubble > .panel {
    right: auto;
    left: calc(var(--_x) + env(safe-area-inset-left));
  }
  .at-top.bubble > .panel {
    bottom: auto;
    top: calc(var(--_side) + env(safe-area-inset-top));
  }
  .inline > .panel {
    min-height: 240px;
    max-height: 100dvh;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
  }
  .cover > .panel {
    inset: var(--_view-top, 0) 0 auto;
    height: var(--_view-height, 100dvh);
    padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left);
  }
  .cover.open > .launcher {
    display: none;
  }
  @keyframes rise {
    from {
      opacity: 0;
      translate: 0 12px;
    }
  }
  .header,
  .status {
    display: flex;
    align-items: center;
    flex: none;
  }
  .header {
    min-height: 60px;
    padding: 8px;
    padding-inline-start: var(--_gap);
    border-bottom: 1px solid var(--_line);
    background: var(--parley-header-background, transparent);
    color: var(--parley-header-color, inherit);
  }
  .titles,
  .status > div,
  ::slotted([slot='header']) {
    flex: 1;
    min-width: 0;
  }
  .header h2,
  dialog h2,
  small {
    display: block;
    margin: 0;
    font: 650 16px / 1.35 var(--_font);
    overflow-wrap: anywhere;
  }
  small {
    font: 12.5px / 1.4 var(--_font);
    color: var(--_muted);
  }
  .menu {
    position: relative;
  }
  .menu ul {
    position: absolute;
    z-index: 2;
    inset-inline-end: 0;
    margin: 4px 0;
    padding: 6px;
    list-style: none;
    background: var(--_surface);
    border-radius: 14px;
    box-shadow: var(--_shadow);
    white-space: nowrap;
  }
  .menu li > button {
    width: 100%;
  }
  .status {
    gap: 12px;
    margin: 0 var(--_gap) 10px;
    padding: 8px 12px;
    border-radius: var(--_control-radius);
    background: var(--_raised);
    font-size: 14px;
  }
  .warning {
    color: var(--_warning);
  }
  .problem {
    color: var(--_problem);
  }
  dialog {
    max-width: min(340px, 100vw - 32px);
    padding: 20px;
    border: 0;
    border-radius: var(--_radius);
    background: var(--_surface);
    color: var(--_text);
    box-shadow: var(--_shadow);
  }
  dialog > p {
    margin: 6px 0 18px;
    color: var(--_muted);
  }
  ::backdrop {
    background: #0b0d1266;
  }
  .choices {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 8px;
  }
`;

import { css } from 'lit';

/** The panel, its header, its menu, the status line and the dialog. */
export const panel = css`
  .panel {
    display: flex;
    flex-direction: column;
    overflow: hidden;
    background: var(--_surface);
    outline: none;
  }
  .bubble .panel {
    position: fixed;
    z-index: var(--_z);
    right: calc(var(--_x) + env(safe-area-inset-right));
    bottom: calc(var(--_y) + var(--_launcher) + 12px + env(safe-area-inset-bottom));
    width: min(var(--parley-width, 408px), 100vw - 2 * var(--_x));
    height: min(var(--parley-height, 680px), 100dvh - 2 * var(--_y) - var(--_launcher) - 12px);
    border-radius: var(--_radius);
    box-shadow: var(--_shadow);
    animation: rise 0.22s cubic-bezier(0.2, 0.8, 0.2, 1);
  }
  .at-left.bubble .panel {
    right: auto;
    left: calc(var(--_x) + env(safe-area-inset-left));
  }
  .at-top.bubble .panel {
    bottom: auto;
    top: calc(var(--_y) + var(--_launcher) + 12px + env(safe-area-inset-top));
  }
  .inline .panel {
    height: 100%;
    min-height: 240px;
    max-height: max(100dvh, 240px);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
  }
  .cover .panel {
    position: fixed;
    z-index: var(--_z);
    left: 0;
    right: 0;
    top: var(--_view-top, 0px);
    height: var(--_view-height, 100dvh);
    padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left);
    animation: rise 0.2s ease-out;
  }
  .cover.open .launcher {
    display: none;
  }
  @keyframes rise {
    from {
      opacity: 0;
      transform: translateY(12px);
    }
  }
  .header {
    display: flex;
    align-items: center;
    flex: none;
    gap: 2px;
    min-height: 60px;
    padding: 8px;
    padding-inline-start: var(--_gap);
    border-bottom: 1px solid var(--_line);
    background: var(--parley-header-background, transparent);
    color: var(--parley-header-color, inherit);
  }
  .titles,
  slot[name='header']::slotted(*) {
    flex: 1;
    min-width: 0;
  }
  h2 {
    margin: 0;
    font-size: 16px;
    line-height: 1.35;
    font-weight: 650;
    letter-spacing: -0.005em;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .header p {
    margin: 0;
    font-size: 13px;
    line-height: 1.35;
    color: var(--_muted);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .menu {
    position: relative;
  }
  .menu ul {
    position: absolute;
    z-index: 2;
    top: calc(100% + 4px);
    inset-inline-end: 0;
    margin: 0;
    padding: 6px;
    list-style: none;
    background: var(--_surface);
    border: 1px solid var(--_line);
    border-radius: 14px;
    box-shadow: 0 12px 32px -8px #10182840;
  }
  .menu li button {
    width: 100%;
    min-height: 44px;
    padding: 0 14px;
    border-radius: 9px;
    text-align: start;
    white-space: nowrap;
  }
  .menu li button:hover {
    background: var(--_raised);
  }
  .status {
    display: flex;
    align-items: center;
    gap: 12px;
    flex: none;
    margin: 0 var(--_gap) 10px;
    padding: 8px 12px;
    min-height: 40px;
    border: 1px solid var(--_line);
    border-radius: var(--_control-radius);
    background: var(--_raised);
    font-size: 14px;
    line-height: 1.4;
  }
  .status > div {
    flex: 1;
    min-width: 0;
  }
  small {
    display: block;
    font-size: 12.5px;
    color: var(--_muted);
    overflow-wrap: anywhere;
  }
  .status.warning {
    color: var(--_warning);
  }
  .status.problem {
    color: var(--_problem);
  }
  dialog {
    max-width: min(340px, 100vw - 32px);
    padding: 20px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_surface);
    color: var(--_text);
    box-shadow: var(--_shadow);
  }
  dialog::backdrop {
    background: #0b0d1266;
  }
  dialog h2 {
    white-space: normal;
  }
  dialog p {
    margin: 6px 0 18px;
    color: var(--_muted);
  }
  .choices {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 8px;
  }
`;

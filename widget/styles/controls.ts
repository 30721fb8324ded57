import { css } from 'lit';

/** Buttons, drawings and the launcher. */
export const controls = css`
  button {
    font: inherit;
    color: inherit;
    background: none;
    border: 1px solid transparent;
    margin: 0;
    padding: 0;
    cursor: pointer;
    touch-action: manipulation;
  }
  button:disabled {
    cursor: default;
  }
  :focus-visible {
    outline: 2px solid var(--_accent-text);
    outline-offset: 2px;
  }
  svg {
    width: 22px;
    height: 22px;
    flex: none;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.8;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .icon {
    flex: none;
    display: grid;
    place-items: center;
    width: 44px;
    height: 44px;
    border-radius: var(--_control-radius);
    color: var(--_muted);
  }
  .icon:hover,
  .plain:hover,
  li > button:hover {
    background: var(--_raised);
    color: var(--_text);
  }
  .filled:enabled,
  .strong {
    background: var(--_accent) !important;
    border-color: transparent;
    color: var(--_on-accent) !important;
  }
  .filled:disabled {
    background: var(--_raised);
    color: var(--_muted);
  }
  .stop svg {
    fill: currentColor;
  }
  .menu-button svg {
    stroke-width: 3;
  }
  .small svg {
    width: 18px;
    height: 18px;
  }
  .plain,
  li > button {
    min-height: 44px;
    padding: 0 14px;
    border-radius: var(--_control-radius);
    text-align: start;
  }
  .plain {
    flex: none;
    border-color: var(--_control-line);
    font-weight: 600;
    color: var(--_text);
  }
  .launcher {
    position: fixed;
    z-index: var(--parley-z-index, 9999);
    right: calc(var(--_x) + env(safe-area-inset-right));
    bottom: calc(var(--_y) + env(safe-area-inset-bottom));
    min-width: var(--_launcher);
    height: var(--_launcher);
    display: grid;
    place-items: center;
    grid-auto-flow: column;
    border-radius: calc(var(--_launcher) / 2);
    background: var(--parley-launcher-background, var(--_accent));
    color: var(--parley-launcher-color, var(--_on-accent));
    box-shadow: 0 8px 24px -6px #10182859;
    transition: translate 0.2s;
  }
  .launcher:hover {
    translate: 0 -2px;
  }
  .launcher svg {
    width: 26px;
    height: 26px;
  }
  .wide {
    gap: 10px;
    padding: 0 22px 0 18px;
    font-weight: 600;
  }
  .badge {
    position: absolute;
    top: -4px;
    inset-inline-end: -4px;
    min-width: 20px;
    padding: 0 5px;
    border-radius: 10px;
    background: var(--parley-badge-color, #b3261e);
    color: #fff;
    font: 700 12px / 20px var(--_font);
  }
  .at-left > .launcher {
    right: auto;
    left: calc(var(--_x) + env(safe-area-inset-left));
  }
  .at-top > .launcher {
    bottom: auto;
    top: calc(var(--_y) + env(safe-area-inset-top));
  }
`;

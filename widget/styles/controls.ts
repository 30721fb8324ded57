import { css } from 'lit';

/** Buttons and icons, wherever they stand. */
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
    transition: background-color 0.15s;
  }
  .icon:hover,
  .icon[aria-expanded='true'] {
    background: var(--_raised);
    color: var(--_text);
  }
  .filled,
  .filled:hover {
    background: var(--_accent);
    color: var(--_on-accent);
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
  .plain {
    flex: none;
    min-height: 44px;
    padding: 0 14px;
    border-color: var(--_control-line);
    border-radius: var(--_control-radius);
    font-weight: 600;
    color: var(--_text);
    background: var(--_surface);
  }
  .plain:hover {
    background: var(--_raised);
  }
  .strong,
  .strong:hover {
    background: var(--_accent);
    border-color: transparent;
    color: var(--_on-accent);
  }
  .launcher {
    position: fixed;
    z-index: var(--_z);
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
    box-shadow: 0 2px 6px #1018282e, 0 10px 28px -6px #10182852;
    transition: transform 0.18s;
  }
  .launcher:hover {
    transform: translateY(-2px);
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
    min-width: 22px;
    height: 22px;
    padding: 0 6px;
    border: 2px solid var(--_surface);
    border-radius: 11px;
    background: var(--parley-badge-color, #b3261e);
    color: #ffffff;
    font-size: 12px;
    line-height: 18px;
    font-weight: 700;
  }
  .at-left .launcher {
    right: auto;
    left: calc(var(--_x) + env(safe-area-inset-left));
  }
  .at-top .launcher {
    bottom: auto;
    top: calc(var(--_y) + env(safe-area-inset-top));
  }
`;

import { css } from 'lit';

/** The dialog in which the visitor releases a transaction. */
export const verification = css`
  .verify {
    width: min(440px, 100vw - 32px);
    max-width: none;
    max-height: min(calc(var(--_view-height, 100dvh) - 32px), 720px);
    overflow: auto;
    box-sizing: border-box;
  }
  .verify dl {
    margin: 0 0 16px;
    padding: 12px;
    border: 1px solid var(--_line);
    border-radius: var(--_control-radius);
    background: var(--_raised);
    font-size: 15px;
    line-height: 1.45;
  }
  .verify dl dl {
    margin: 4px 0 0;
    padding: 0 0 0 0;
    padding-inline-start: 12px;
    border: 0;
    border-inline-start: 2px solid var(--_line);
    border-radius: 0;
  }
  .verify dl > div + div {
    margin-top: 8px;
  }
  .verify dt {
    font-size: 13px;
    color: var(--_muted);
  }
  .verify dd {
    margin: 0;
    font-weight: 600;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .verify label {
    display: block;
    margin-bottom: 4px;
    font-weight: 600;
  }
  .verify input {
    box-sizing: border-box;
    width: 100%;
    min-height: 48px;
    padding: 0 14px;
    border: 1px solid var(--_control-line);
    border-radius: var(--_control-radius);
    background: var(--_surface);
    color: var(--_text);
    font: 600 20px / 1.2 var(--_font);
    letter-spacing: 0.2em;
    font-variant-numeric: tabular-nums;
  }
  .verify .problem-text:not(:empty) {
    margin-top: 6px;
    color: var(--_problem);
  }
  .verify small {
    margin: 6px 0 16px;
  }
`;

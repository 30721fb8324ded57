import { css } from 'lit';

/** The composer and the line below it. */
export const composer = css`
  .composer,
  .footer {
    display: flex;
    flex: none;
    width: calc(100% - 2 * var(--_gap));
    max-width: calc(var(--_content) - 2 * var(--_gap));
    margin: 0 auto;
  }
  .composer {
    position: relative;
    align-items: flex-end;
    padding: 4px;
    border: 1px solid var(--_control-line);
    border-radius: 27px;
  }
  .composer:focus-within {
    border-color: var(--_accent-text);
    box-shadow: 0 0 0 1px var(--_accent-text);
  }
  textarea {
    flex: 1;
    min-width: 0;
    max-height: min(180px, 30vh);
    margin: 0;
    padding: 10px 4px 10px 16px;
    border: 0;
    outline: none !important;
    resize: none;
    field-sizing: content;
    background: none;
    color: var(--_text);
    /* Less than 16 px makes a phone zoom in when the field gets the focus. */
    font: 16px / 24px var(--_font);
  }
  ::placeholder {
    color: var(--_muted);
    opacity: 1;
  }
  .composer .icon {
    border-radius: 50%;
  }
  .counter {
    position: absolute;
    bottom: calc(100% + 2px);
    inset-inline-end: 12px;
    padding: 0 8px;
    background: var(--_surface);
  }
  .counter,
  .footer {
    font-size: 12px;
    color: var(--_muted);
  }
  .over {
    color: var(--_problem);
  }
  .footer {
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 12px;
    min-height: 16px;
    padding: 5px 6px 9px;
  }
  .footer a {
    margin-inline-start: auto;
    padding: 4px 0;
    color: inherit;
  }
  .context {
    display: flex;
    align-items: center;
    gap: 8px;
  }
  meter {
    appearance: none;
    width: 44px;
    height: 5px;
    border-radius: 3px;
    overflow: hidden;
    background: var(--_line);
  }
  ::-webkit-meter-bar {
    height: 5px;
    border: 0;
    background: var(--_line);
  }
  ::-webkit-meter-optimum-value {
    background: currentColor;
  }
  ::-moz-meter-bar {
    background: currentColor;
  }
`;

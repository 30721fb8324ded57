import { css } from 'lit';

/** The composer and the line below it. */
export const composer = css`
  .composer {
    position: relative;
    display: flex;
    align-items: flex-end;
    flex: none;
    width: calc(100% - 2 * var(--_gap));
    max-width: calc(var(--parley-content-width, 760px) - 2 * var(--_gap));
    margin: 0 auto;
    padding: 4px;
    border: 1px solid var(--_control-line);
    border-radius: 27px;
    background: var(--_surface);
  }
  .composer:focus-within {
    border-color: var(--_accent-text);
    box-shadow: 0 0 0 1px var(--_accent-text);
  }
  .composer.off {
    background: var(--_raised);
  }
  textarea {
    flex: 1;
    min-width: 0;
    min-height: 44px;
    max-height: min(180px, 30vh);
    margin: 0;
    padding: 10px 4px 10px 16px;
    border: 0;
    resize: none;
    field-sizing: content;
    background: transparent;
    color: var(--_text);
    /* Less than 16 px makes a phone zoom in when the field gets the focus. */
    font: 400 16px / 24px var(--_font);
  }
  textarea:focus-visible {
    outline: none;
  }
  textarea::placeholder {
    color: var(--_muted);
    opacity: 1;
  }
  .composer .icon {
    border-radius: 50%;
  }
  .counter {
    position: absolute;
    bottom: calc(100% + 4px);
    inset-inline-end: 12px;
    padding: 2px 8px;
    border-radius: 8px;
    background: var(--_surface);
    font-size: 12px;
    color: var(--_muted);
  }
  .counter.over {
    color: var(--_problem);
    font-weight: 600;
  }
  .footer {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    flex: none;
    gap: 2px 12px;
    min-height: 14px;
    padding: 5px calc(var(--_gap) + 6px) 9px;
    font-size: 12px;
    color: var(--_muted);
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
  .context.warning {
    color: var(--_warning);
  }
  meter {
    appearance: none;
    width: 44px;
    height: 5px;
    border: 0;
    border-radius: 3px;
    overflow: hidden;
    background: var(--_line);
  }
  meter::-webkit-meter-inner-element,
  meter::-webkit-meter-bar {
    display: block;
    height: 5px;
    border: 0;
    border-radius: 3px;
    background: var(--_line);
  }
  meter::-webkit-meter-optimum-value {
    background: currentColor;
  }
  meter::-moz-meter-bar {
    background: currentColor;
  }
`;

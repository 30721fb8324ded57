import { css } from 'lit';

/** How an answer's elements look. The custom properties are the widget's; every element is also a part (`markdown-parts.ts`). */
export const markdownStyles = css`
  p {
    margin: 0;
    overflow-wrap: anywhere;
  }
`;

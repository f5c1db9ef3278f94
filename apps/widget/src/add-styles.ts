import { type CSSResult, unsafeCSS } from 'lit';

/** Adds the styles of what was loaded later. As a constructed sheet, they pass the strictest policy. */
export function addStyles(root: ShadowRoot | null, text: string): void {
  const { styleSheet }: CSSResult = unsafeCSS(text);
  if (root && styleSheet) root.adoptedStyleSheets = [...root.adoptedStyleSheets, styleSheet];
}

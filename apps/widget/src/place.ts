interface Floating extends HTMLElement {
  readonly inline: boolean;
  readonly placement: string;
}

/** Puts a floating widget above those that stand before it in the same corner of the page. */
export function placeOf(widget: Floating): void {
  const all = [...document.querySelectorAll<Floating>(widget.localName)];
  const before = all.slice(0, Math.max(0, all.indexOf(widget)));
  const below = before.filter(({ inline, placement }) => !inline && placement === widget.placement).length;
  widget.style.setProperty('--ck-below', String(below));
}

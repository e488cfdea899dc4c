/**
 * Scrolls `outer` just far enough to show `inner`. Not `scrollIntoView`: in Chromium the first Tab would then continue from
 * there, past the link that skips the navigation. Before the next frame, because places are known without a layout of its own then.
 */
export function scrollInside(outer: HTMLElement, inner: HTMLElement): void {
  requestAnimationFrame(() => scrollNow(outer, inner))
}

function scrollNow(outer: HTMLElement, inner: HTMLElement): void {
  const [frame, shown] = [outer.getBoundingClientRect(), inner.getBoundingClientRect()]
  // Whole pixels: the browser rounds the position of a scrolled element.
  if (shown.bottom > frame.bottom) outer.scrollTop += Math.ceil(shown.bottom - frame.bottom)
  else if (shown.top < frame.top) outer.scrollTop -= Math.ceil(frame.top - shown.top)
  if (shown.right > frame.right) outer.scrollLeft += Math.ceil(shown.right - frame.right)
  else if (shown.left < frame.left) outer.scrollLeft -= Math.ceil(frame.left - shown.left)
}

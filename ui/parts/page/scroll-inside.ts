/**
 * Scrolls `outer` just far enough to show `inner`. Not `scrollIntoView`: in Chromium the first Tab would then continue from
 * there, past the link that skips the navigation.
 */
export function scrollInside(outer: HTMLElement, inner: HTMLElement): void {
  const [frame, shown] = [outer.getBoundingClientRect(), inner.getBoundingClientRect()]
  if (shown.bottom > frame.bottom) outer.scrollTop += shown.bottom - frame.bottom
  else if (shown.top < frame.top) outer.scrollTop -= frame.top - shown.top
}

// Returns focus to the opener when a dialog or menu closes. Mantine does this only for dialogs that stay mounted, and not
// through a menu; otherwise keyboard users would start at the top of the page again.
const OPENED = '[role=dialog], [role=menu], [role=alertdialog]'

/** Called once, at startup. */
export function keepFocus(): void {
  const openers = new WeakMap<Element, Element>()
  let last: Element = document.body

  document.addEventListener('focusin', ({ target }) => {
    const next = target as Element
    const opened = next.closest(OPENED)
    if (opened !== null && !openers.has(opened)) openers.set(opened, last)
    last = next
  })
  new MutationObserver(() => {
    if (last.isConnected || document.activeElement !== document.body) return
    let back: Element | undefined = last
    while (back !== undefined && !back.isConnected) {
      const opened: Element | null = back.closest(OPENED)
      back = opened === null ? undefined : openers.get(opened)
    }
    last = back ?? document.body
    if (back instanceof HTMLElement) back.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true })
}

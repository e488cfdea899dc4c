// Brings the element of `#id` in an address into view and focuses it, as a browser does for a page that is there at once.
const LONGEST_MS = 10_000
/** Frames for which the focus stays, because a page and a closing dialog take it as well. */
const SETTLED = 30
/** From then on the person decides where the page is. */
const BY_HAND = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

let stop = () => {}

/** @param hash `#root_removal_min`; the fields of a form come after its data */
export function land(hash: string): void {
  stop()
  const id = decodeURIComponent(hash.slice(1))
  if (id === '') return
  const until = performance.now() + LONGEST_MS
  let frames = 0
  let frame = 0
  const listening = new AbortController()
  stop = () => {
    cancelAnimationFrame(frame)
    listening.abort()
  }
  const look = () => {
    const element = document.getElementById(id)
    if (element !== null) {
      if (frames === 0) show(element)
      if (document.activeElement !== element) element.focus({ preventScroll: true })
      frames += 1
    }
    if (frames < SETTLED && performance.now() < until) frame = requestAnimationFrame(look)
    else stop()
  }
  for (const type of BY_HAND) addEventListener(type, () => stop(), { capture: true, signal: listening.signal })
  look()
}

function show(element: HTMLElement): void {
  for (
    let folded = element.closest('details');
    folded !== null;
    folded = folded.parentElement?.closest('details') ?? null
  )
    folded.open = true
  element.scrollIntoView({ block: 'center' })
}

// Brings the element of `#id` in an address into view and focuses it, as a browser does for a page that is there at once.
import { untilSettled } from '../parts/page/until-settled.ts'

const LONGEST_MS = 10_000
/** Frames for which the focus stays, because a page and a closing dialog take it as well. */
const SETTLED = 30

let stop = () => {}

/** @param hash `#root_removal_min`; the fields of a form come after its data */
export function land(hash: string): void {
  stop()
  const id = decodeURIComponent(hash.slice(1))
  if (id === '') return
  let isShown = false
  const focus = () => {
    const element = document.getElementById(id)
    if (element === null) return false
    if (!isShown) show(element)
    isShown = true
    if (document.activeElement !== element) element.focus({ preventScroll: true })
    return true
  }
  stop = untilSettled(focus, { frames: SETTLED, longestMs: LONGEST_MS })
}

function show(element: HTMLElement): void {
  for (
    let folded = element.closest('details');
    folded !== null;
    folded = folded.parentElement?.closest('details') ?? null
  )
    folded.open = true
  element.scrollIntoView({ block: element.offsetHeight > innerHeight / 2 ? 'start' : 'center' })
}

// Arrow keys, Home and End between the items of a list: posters, cards, rows. An item is an element with its index in
// `data-item`; the first thing in it that can have the focus gets it.
import type { KeyboardEvent } from 'react'

interface List {
  readonly count: number
  /** Scrolls an item of a virtual list into view, which renders it some frames later. */
  readonly reveal?: (index: number) => void
}

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled)'
/** Keys of fields and menus are their own. */
const OWN_KEYS = 'textarea, select, [role=menu], [role=listbox], input:not([type=checkbox])'
/** Maximum number of frames to wait for an item that was revealed. */
const TRIES = 60

/** For `onKeyDown` of the element that contains the items. */
export function moveByArrows({ count, reveal }: List): (event: KeyboardEvent<HTMLElement>) => void {
  return (event) => {
    const list = event.currentTarget
    const target = event.target as Element
    const item = target.closest<HTMLElement>('[data-item]')
    // Events of menus come here as well, from elsewhere in the document.
    if (item === null || !list.contains(item) || target.closest(OWN_KEYS) !== null) return
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const next = nextOf(list, item, event.key, count)
    if (next === null) return
    event.preventDefault()
    focusItem(list, Math.max(0, Math.min(next, count - 1)), reveal)
  }
}

/** The direction of a key in a list whose items follow each other to the left in a right-to-left language. */
export function stepOf(key: string, isLeftward: boolean): number {
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return 0
  return (key === 'ArrowRight') === isLeftward ? -1 : 1
}

function nextOf(list: HTMLElement, item: HTMLElement, key: string, count: number): number | null {
  const index = Number(item.dataset['item'])
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  const step = stepOf(key, isLeftward(list, item, index))
  if (step !== 0) return index + step
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return null
  return beside(list, item, key === 'ArrowDown')
}

/** By what is seen: some lists keep their order in right-to-left languages. */
function isLeftward(list: HTMLElement, item: HTMLElement, index: number): boolean {
  const at = item.getBoundingClientRect()
  for (const step of [1, -1]) {
    const other = itemOf(list, index + step)?.getBoundingClientRect()
    if (other !== undefined && Math.abs(other.top - at.top) < at.height / 2) return (other.left - at.left) * step < 0
  }
  return getComputedStyle(list).direction === 'rtl'
}

/** The nearest item of the next row, or of the row before. Rows may have any number of items. */
function beside(list: HTMLElement, item: HTMLElement, isDown: boolean): number | null {
  const at = item.getBoundingClientRect()
  const away = (box: DOMRect) => (isDown ? box.top - at.top : at.top - box.top)
  const others = [...list.querySelectorAll<HTMLElement>('[data-item]')]
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => away(box) > at.height / 2)
  const nearest = Math.min(...others.map(({ box }) => away(box)))
  const row = others.filter(({ box }) => away(box) < nearest + at.height / 2)
  row.sort((a, b) => Math.abs(a.box.left - at.left) - Math.abs(b.box.left - at.left))
  const found = row[0]?.element.dataset['item']
  return found === undefined ? null : Number(found)
}

function focusItem(list: HTMLElement, index: number, reveal: List['reveal'], tries = 0): void {
  const target = itemOf(list, index)?.querySelector<HTMLElement>(FOCUSABLE) ?? null
  if (target !== null) {
    target.focus({ preventScroll: true })
    target.closest('[data-item]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    return
  }
  if (tries === 0) reveal?.(index)
  if (tries < TRIES) requestAnimationFrame(() => focusItem(list, index, reveal, tries + 1))
}

function itemOf(list: HTMLElement, index: number): HTMLElement | null {
  return list.querySelector(`[data-item="${index}"]`)
}

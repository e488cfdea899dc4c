// A bar beside a long list that marks letters or years and jumps to them.
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'

export interface ScrubberSection {
  readonly name: string
  /** Label on the bar where there is room; empty: no label. */
  readonly mark: string
  readonly offset: number
}

interface ScrubberProps {
  readonly label: string
  readonly sections: readonly ScrubberSection[]
  readonly total: number
  /** The first visible row. */
  readonly at: number
  readonly onJump: (row: number) => void
}

const MARK_PX = 18
const PAGE_STEP = 5

export function Scrubber({ label, sections, total, at, onJump }: ScrubberProps) {
  const bar = useRef<HTMLDivElement>(null)
  const { ref: sizeRef, height } = useElementSize<HTMLDivElement>()
  const ref = useMergedRef(bar, sizeRef)
  const [held, setHeld] = useState<number | null>(null)
  const row = held ?? at
  const current = sections.findLastIndex(({ offset }) => offset <= row)
  const placeOf = (offset: number) => `${(100 * offset) / total}%`

  function rowAt({ clientY }: PointerEvent): number {
    const { top, height: full } = bar.current!.getBoundingClientRect()
    return Math.round(Math.min(1, Math.max(0, (clientY - top) / full)) * (total - 1))
  }
  function onMove(event: PointerEvent<HTMLDivElement>) {
    const to = rowAt(event)
    setHeld(to)
    if (event.buttons !== 0) onJump(to)
  }
  function onKeyDown(event: KeyboardEvent) {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + PAGE_STEP,
      PageUp: current - PAGE_STEP,
      Home: 0,
      End: sections.length - 1,
    }
    const to = steps[event.key]
    if (to === undefined) return
    event.preventDefault()
    onJump(sections[Math.min(sections.length - 1, Math.max(0, to))]!.offset)
  }

  return (
    <div
      ref={ref}
      className="scrubber"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={sections.length - 1}
      aria-valuenow={Math.max(0, current)}
      aria-valuetext={sections[current]?.name}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        onJump(rowAt(event))
      }}
      onPointerMove={onMove}
      onPointerLeave={() => setHeld(null)}
      onPointerUp={() => setHeld(null)}
    >
      {marksOf(sections, total, height).map(({ mark, offset }) => (
        <span key={offset} className="scrubber-mark" style={{ top: placeOf(offset) }} aria-hidden>
          {mark}
        </span>
      ))}
      <span className="scrubber-at" style={{ top: placeOf(at) }} aria-hidden />
      {held === null ? null : (
        <span className="scrubber-name" style={{ top: placeOf(held) }} aria-hidden>
          {sections[current]?.name}
        </span>
      )}
    </div>
  )
}

/** The marks that do not overlap. */
function marksOf(sections: readonly ScrubberSection[], total: number, height: number): readonly ScrubberSection[] {
  let free = 0
  return sections.filter(({ mark, offset }) => {
    const top = (offset / total) * height
    if (mark === '' || top < free || top + MARK_PX > height) return false
    free = top + MARK_PX
    return true
  })
}

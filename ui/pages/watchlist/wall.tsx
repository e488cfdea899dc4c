// A virtual wall of posters. One tab stop: arrow keys move, Enter opens, Space selects.
import { Text, VisuallyHidden } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { IconCheck } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { stepOf } from '../../parts/lists/arrows.ts'
import { useKeptPlace } from '../../parts/lists/kept-place.ts'
import { PosterImage } from '../../parts/values/poster-image.tsx'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { watchlist } from '../../texts/en/watchlist.ts'
import type { Row } from './rows.ts'
import type { Services } from './names.ts'

const MIN_WIDTH = 136
const GAP = 16
/** Two lines of the title and one of facts, as in the styles. */
const CAPTION = 60
const OVERSCAN_ROWS = 2

interface WallProps {
  readonly rows: readonly Row[]
  /** Other filters or another order are a new list. */
  readonly query: object
  readonly services: Services
  readonly selected: ReadonlySet<string>
  readonly onSelect: (selected: ReadonlySet<string>) => void
  readonly onOpen: (row: Row) => void
  readonly height: string
}

export function Wall({ rows, query, services, selected, onSelect, onOpen, height }: WallProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>()
  const ref = useMergedRef(scroller, sizeRef)
  const [active, setActive] = useState(0)
  const id = useId()
  const columns = Math.max(2, Math.floor((width + GAP) / (MIN_WIDTH + GAP)))
  const cell = width === 0 ? MIN_WIDTH : (width - GAP * (columns - 1)) / columns
  const rowHeight = Math.round(cell * 1.5) + CAPTION + GAP
  const virtual = useVirtualizer({
    count: Math.ceil(rows.length / columns),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
    paddingStart: 4,
  })
  // Measure before painting, so that no frame uses the old row height.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row height depends on the width
  useLayoutEffect(() => virtual.measure(), [rowHeight, columns])
  // The first list keeps the place of the person; a new one starts at the top.
  const shown = useRef(query)
  useEffect(() => {
    if (shown.current === query) return
    shown.current = query
    setActive(0)
    scroller.current?.scrollTo({ top: 0 })
  }, [query])
  useEffect(() => setActive((index) => Math.min(index, Math.max(0, rows.length - 1))), [rows.length])
  useKeptPlace('wall', scroller, width > 0, {
    focusOf: (target) => (target.closest('.wall') === null ? null : (rows[active]?.key ?? null)),
    refocus(key) {
      const index = rows.findIndex((row) => row.key === key)
      if (index === -1) return false
      setActive(index)
      scroller.current?.focus({ preventScroll: true })
      return true
    },
  })

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const page = Math.max(1, virtual.getVirtualItems().length - 2 * OVERSCAN_ROWS) * columns
    const sideways = active + stepOf(event.key, getComputedStyle(event.currentTarget).direction === 'rtl')
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: sideways,
      ArrowLeft: sideways,
      ArrowDown: active + columns,
      ArrowUp: active - columns,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    }
    const next = steps[event.key]
    const row = rows[active]
    if (next !== undefined) {
      const index = Math.max(0, Math.min(next, rows.length - 1))
      setActive(index)
      virtual.scrollToIndex(Math.floor(index / columns))
    } else if (event.key === 'Enter' && row !== undefined) onOpen(row)
    else if (event.key === ' ' && row !== undefined) toggle(row)
    else return
    event.preventDefault()
  }

  function toggle({ key }: Row) {
    const next = new Set(selected)
    if (!next.delete(key)) next.add(key)
    onSelect(next)
  }

  return (
    <div
      ref={ref}
      className="wall"
      role="listbox"
      aria-multiselectable
      aria-label={watchlist.label}
      tabIndex={0}
      aria-activedescendant={rows.length === 0 ? undefined : `${id}-${active}`}
      onKeyDown={onKeyDown}
      style={{ height }}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {width === 0
          ? null
          : virtual.getVirtualItems().flatMap(({ index: line, start }) =>
              rows.slice(line * columns, (line + 1) * columns).map((row, column) => {
                const index = line * columns + column
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the list
                  <div
                    key={row.key}
                    id={`${id}-${index}`}
                    role="option"
                    aria-selected={selected.has(row.key)}
                    aria-posinset={index + 1}
                    aria-setsize={rows.length}
                    tabIndex={-1}
                    className="wall-cell"
                    data-active={index === active || undefined}
                    data-selected={selected.has(row.key) || undefined}
                    style={{ width: cell, transform: `translate(${column * (cell + GAP)}px, ${start}px)` }}
                    onClick={(event) => {
                      setActive(index)
                      if (event.ctrlKey || event.metaKey || event.shiftKey) toggle(row)
                      else onOpen(row)
                    }}
                  >
                    <Card row={row} services={services} isSelected={selected.has(row.key)} />
                  </div>
                )
              }),
            )}
      </div>
    </div>
  )
}

const Card = memo(function Card({
  row: { poster, title, year, sources },
  services,
  isSelected,
}: {
  readonly row: Row
  readonly services: Services
  readonly isSelected: boolean
}) {
  return (
    <>
      <div aria-hidden>
        <PosterImage src={poster} title={title} />
      </div>
      {isSelected ? (
        <span className="wall-mark" aria-hidden>
          <IconCheck size={16} />
        </span>
      ) : null}
      <div className="caption">
        <Text size="sm" fw={600} className="two-lines" data-title title={title}>
          {title}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="wall-line">
          {year}
          <VisuallyHidden>{sources.map((token) => services(token).label).join(', ')}</VisuallyHidden>
          {sources.map((token) => (
            <ServiceMark key={token} provider={services(token).id} size={16} />
          ))}
        </Text>
      </div>
    </>
  )
})

// A virtual table; on a phone, a row is its title with the values below. The grid is one tab stop: arrow keys move, Enter opens, Space
// selects. Links and buttons inside rows stay in the tab order.
import { Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  memo,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { useSearchParams } from 'wouter'
import type { Endless } from '../../api/endless.ts'
import { parts } from '../../texts/en/parts.ts'
import { locale } from '../../texts/language.ts'
import { useKeptPlace } from './kept-place.ts'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** null: the value is unknown, and a card omits it. */
  readonly cell: (row: Row) => ReactNode
  /** Makes the column sortable. */
  readonly sortValue?: (row: Row) => string | number | null
  /** A CSS grid track ("8rem", "2fr"); 1fr by default. */
  readonly width?: string
  /** The title of a row; it has no label on a phone. */
  readonly isTitle?: boolean
  /** What can be done with a row. On a phone it is beside the title. */
  readonly isControl?: boolean
  /** The value says little without its header, such as a number. The header is beside it on a phone. */
  readonly isBare?: boolean
}

export interface Sort {
  readonly column: string
  readonly descending: boolean
}

interface DataTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Total number of rows, if not all are loaded. */
  readonly total?: number
  /** The most height; `fill`: that of the element around it. */
  readonly height?: number | string
  /** With both, the caller sorts; otherwise the table sorts its rows, by a column in the address. */
  readonly sort?: Sort | null
  readonly onSort?: (sort: Sort | null) => void
  readonly onOpen?: (row: Row) => void
  readonly selected?: ReadonlySet<string>
  readonly onSelect?: (selected: ReadonlySet<string>) => void
  /** From `useEndless`; the next page loads shortly before the end is visible. */
  readonly endless?: Endless
}

const ROW_HEIGHT = 44
const CARD_HEIGHT = 68
const CARDS_BELOW = 700
const BORDERS = 2
/** Without the line below the table. */
const FILLED = '100% - 1.75rem'

export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  total,
  height = '70vh',
  sort,
  onSort,
  onOpen,
  selected,
  onSelect,
  endless,
}: DataTableProps<Row>) {
  const [ownSort, setOwnSort] = useAddressSort(columns)
  const currentSort = onSort === undefined ? ownSort : (sort ?? null)
  const sorted = useMemo(
    () => (onSort === undefined ? sortRows(rows, columns, ownSort) : rows),
    [rows, columns, ownSort, onSort],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const isCards = useIsNarrow(scroller)
  const [active, setActive] = useState(0)
  const isFollowing = useRef(false)
  const id = useId()
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isCards ? CARD_HEIGHT : ROW_HEIGHT),
    getItemKey: (index) => rowKey(sorted[index] as Row),
    // Without it, a second rendering would begin with the measured height.
    initialRect: { width: 0, height: innerHeight },
    overscan: 8,
    // A late frame is better than a long task.
    useFlushSync: false,
  })
  const items = virtual.getVirtualItems()
  const [firstSeen, lastSeen] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  const onRange = endless?.onRange

  useEffect(() => onRange?.(firstSeen, lastSeen), [firstSeen, lastSeen, onRange])
  useEffect(() => setActive((index) => Math.min(index, Math.max(0, sorted.length - 1))), [sorted.length])
  // Measure before the browser reports the new heights: later, it would discard them, and cards would overlap.
  const measured = useRef(isCards)
  // biome-ignore lint/correctness/useExhaustiveDependencies: cards and rows have different heights
  useLayoutEffect(() => {
    if (measured.current !== isCards) virtual.measure()
    measured.current = isCards
  }, [isCards])
  useKeptPlace(label, scroller, sorted.length > 0, {
    focusOf(target) {
      const clicked = target.closest<HTMLElement>('[data-index]')?.dataset['index']
      const row = sorted[clicked === undefined ? active : Number(clicked)]
      return target.closest('a')?.getAttribute('href') ?? (row === undefined ? null : rowKey(row))
    },
    refocus(focus) {
      const link = scroller.current?.querySelector<HTMLElement>(`a[href=${JSON.stringify(focus)}]`)
      const index = sorted.findIndex((row) => rowKey(row) === focus)
      if (index !== -1) setActive(index)
      const target = index === -1 ? link : scroller.current
      target?.focus({ preventScroll: true })
      return target != null
    },
  })
  // Rows added or measured during a jump can make it end too early.
  useEffect(() => {
    const { range } = virtual
    if (!isFollowing.current || range === null) return
    if (active >= range.startIndex && active <= range.endIndex) isFollowing.current = false
    else virtual.scrollToIndex(active)
  })

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    if (event.target !== event.currentTarget) return
    const page = Math.max(1, items.length - 17)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: sorted.length - 1,
    }
    const next = steps[event.key]
    const row = sorted[active]
    if (next !== undefined) {
      const index = Math.max(0, Math.min(next, sorted.length - 1))
      setActive(index)
      isFollowing.current = true
      virtual.scrollToIndex(index)
    } else if (event.key === 'Enter' && row !== undefined && onOpen !== undefined) onOpen(row)
    else if (event.key === ' ' && row !== undefined && onSelect !== undefined) toggle(row)
    else return
    event.preventDefault()
  }

  function toggle(row: Row) {
    const key = rowKey(row)
    const next = new Set(selected)
    if (!next.delete(key)) next.add(key)
    onSelect?.(next)
  }

  const acts = useRef<Acts>(null!)
  acts.current = {
    press(row, index, target) {
      setActive(index)
      if (target.closest('a, button, input, label') === null) onOpen?.(row as Row)
    },
    toggle: (row) => toggle(row as Row),
  }

  function sortBy(column: string) {
    const next =
      currentSort?.column !== column
        ? { column, descending: false }
        : currentSort.descending
          ? null
          : { column, descending: true }
    ;(onSort ?? setOwnSort)(next)
  }

  const isSelectable = onSelect !== undefined
  const tracks = [
    ...(isSelectable ? ['1.5rem'] : []),
    ...columns.map(({ width: track = '1fr' }) => (track.endsWith('fr') ? `minmax(0, ${track})` : track)),
  ].join(' ')

  return (
    <div className={height === 'fill' ? 'filled' : undefined}>
      <div
        ref={scroller}
        className="table"
        role="grid"
        aria-label={label}
        aria-rowcount={endless?.hasMore === true && total === undefined ? -1 : (total ?? sorted.length) + 1}
        aria-colcount={columns.length + (isSelectable ? 1 : 0)}
        aria-multiselectable={isSelectable || undefined}
        tabIndex={0}
        aria-activedescendant={items.some(({ index }) => index === active) ? `${id}-${active}` : undefined}
        onKeyDown={onKeyDown}
        data-cards={isCards || undefined}
        style={{
          ['--columns' as string]: tracks,
          height: fitHeight(height, virtual.getTotalSize() + (isCards ? 0 : ROW_HEIGHT)),
        }}
      >
        <div className="table-head" role="rowgroup" hidden={isCards}>
          <div role="row" aria-rowindex={1} tabIndex={-1}>
            {isSelectable ? <div role="columnheader" aria-label={parts.table.select} tabIndex={-1} /> : null}
            {columns.map((column) => {
              const direction =
                currentSort?.column !== column.id ? undefined : currentSort.descending ? 'descending' : 'ascending'
              const Arrow = direction === 'descending' ? IconArrowDown : IconArrowUp
              return (
                <div key={column.id} role="columnheader" aria-sort={direction} tabIndex={-1}>
                  {column.sortValue === undefined ? (
                    column.header
                  ) : (
                    <button type="button" onClick={() => sortBy(column.id)}>
                      {column.header}
                      {direction === undefined ? null : <Arrow size={14} aria-hidden />}
                    </button>
                  )}
                </div>
              )
            })}
          </div>
        </div>
        <div className="table-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = sorted[index] as Row
            return (
              <TableRow
                key={key}
                id={`${id}-${index}`}
                row={row}
                index={index}
                top={start}
                isActive={index === active}
                isSelected={isSelectable ? (selected?.has(rowKey(row)) ?? false) : undefined}
                isOpening={onOpen !== undefined}
                columns={columns as readonly Column<unknown>[]}
                isCards={isCards}
                measure={virtual.measureElement}
                acts={acts}
              />
            )
          })}
        </div>
      </div>
      <Text size="sm" c="dimmed" role="status" mt="2xs">
        {endless?.isLoadingMore === true ? parts.table.loadingMore : ''}
      </Text>
    </div>
  )
}

/** Known before the first frame, because rows that turn into cards later would make the page jump. */
function useIsNarrow(element: RefObject<HTMLDivElement | null>): boolean {
  const [isNarrow, setNarrow] = useState(innerWidth < CARDS_BELOW)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    // A hidden element has no width.
    const look = () => current.clientWidth > 0 && setNarrow(current.clientWidth < CARDS_BELOW)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return isNarrow
}

interface Acts {
  readonly press: (row: unknown, index: number, target: Element) => void
  readonly toggle: (row: unknown) => void
}

interface RowProps {
  readonly id: string
  readonly row: unknown
  readonly index: number
  readonly top: number
  readonly isActive: boolean
  /** undefined: rows are not selected. */
  readonly isSelected: boolean | undefined
  readonly isOpening: boolean
  readonly columns: readonly Column<unknown>[]
  readonly isCards: boolean
  readonly measure: (element: Element | null) => void
  readonly acts: RefObject<Acts>
}

/** Memoized so that scrolling renders only rows that become visible. */
const TableRow = memo(function TableRow({ row, index, isSelected, acts, ...props }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the grid
    <div
      id={props.id}
      ref={props.measure}
      data-index={index}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      tabIndex={-1}
      data-active={props.isActive || undefined}
      data-selected={isSelected || undefined}
      style={{ transform: `translateY(${props.top}px)`, cursor: props.isOpening ? 'pointer' : undefined }}
      onClick={({ target }) => acts.current.press(row, index, target as Element)}
    >
      {isSelected === undefined ? null : (
        <div role="gridcell" tabIndex={-1} data-plain="control">
          <input
            type="checkbox"
            className="row-check"
            checked={isSelected}
            onChange={() => acts.current.toggle(row)}
            aria-label={parts.table.select}
            tabIndex={-1}
          />
        </div>
      )}
      <Cells row={row} columns={props.columns} isCards={props.isCards} />
    </div>
  )
})

/** Apart from their row, whose place and selection change more often. */
const Cells = memo(function Cells({ row, columns, isCards }: Pick<RowProps, 'row' | 'columns' | 'isCards'>) {
  return columns.map((column) => {
    const { id, header, isTitle = false, isControl = false, isBare = false } = column
    const value = column.cell(row)
    if (isCards && value === null) return null
    const hasLabel = isCards && header !== '' && !isTitle && !isControl
    return (
      <div key={id} role="gridcell" tabIndex={-1} data-plain={isTitle ? 'title' : isControl ? 'control' : undefined}>
        {hasLabel ? <span className={isBare ? 'table-label' : 'unseen'}>{header}</span> : null}
        <div style={{ minWidth: 0 }}>{value}</div>
      </div>
    )
  })
})

/** The column that the table sorts by itself: `sort=name`, or `sort=-name` from the end. */
function useAddressSort<Row>(
  columns: readonly Column<Row>[],
): readonly [sort: Sort | null, set: (sort: Sort | null) => void] {
  const [params, setParams] = useSearchParams()
  const sort = toSort(params.get(SORT))
  const isKnown = columns.some(({ id, sortValue }) => sortValue !== undefined && id === sort?.column)
  const set = (next: Sort | null) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        if (next === null) after.delete(SORT)
        else after.set(SORT, fromSort(next))
        return after
      },
      { replace: true },
    )
  const column = isKnown ? sort?.column : undefined
  const descending = sort?.descending ?? false
  return [useMemo(() => (column === undefined ? null : { column, descending }), [column, descending]), set]
}

const SORT = 'sort'

/** `-name` is the column `name` from the end. */
export function toSort(text: string | null): Sort | null {
  if (text === null || text === '' || text === '-') return null
  return text.startsWith('-') ? { column: text.slice(1), descending: true } : { column: text, descending: false }
}

export function fromSort({ column, descending }: Sort): string {
  return descending ? `-${column}` : column
}

function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort | null): readonly Row[] {
  const value = columns.find(({ id }) => id === sort?.column)?.sortValue
  if (value === undefined) return rows
  const keyed = rows.map((row) => ({ row, key: value(row) }))
  const sign = sort?.descending === true ? -1 : 1
  keyed.sort((a, b) =>
    a.key === b.key
      ? 0
      : a.key === null
        ? 1
        : b.key === null
          ? -1
          : sign *
            (typeof a.key === 'number' && typeof b.key === 'number'
              ? a.key - b.key
              : collator.compare(String(a.key), String(b.key))),
  )
  return keyed.map(({ row }) => row)
}

const collator = new Intl.Collator(locale, { numeric: true })

function fitHeight(height: number | string, needed: number): string {
  return `min(${typeof height === 'number' ? `${height}px` : height === 'fill' ? FILLED : height}, ${needed + BORDERS}px)`
}

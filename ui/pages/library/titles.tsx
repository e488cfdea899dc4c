// A virtual list of titles, as posters or rows.
import { Box, Group, Skeleton, Text } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { moveByArrows } from '../../parts/lists/arrows.ts'
import { useKeptPlace } from '../../parts/lists/kept-place.ts'
import { Scrubber, type ScrubberSection } from '../../parts/lists/scrubber.tsx'
import { PosterImage } from '../../parts/values/poster-image.tsx'
import { pictureOf, titleAddress } from '../../parts/titles/pictures.ts'
import { useNames } from '../../parts/values/names.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { library as texts } from '../../texts/en/library.ts'
import { say } from '../../texts/say.ts'
import type { Pages, TitleItem } from './use-pages.ts'

export type View = 'wall' | 'rows'

const MIN_WIDTH = 136
const GAP = 16
/** Two lines of the title and one of facts, as in the styles. */
const CAPTION = 60
const ROW = 84
const OVERSCAN = 3

/** Shorter lists need no scrubber. */
const LEAST_TO_JUMP = 60

interface TitlesProps {
  readonly pages: Pages
  readonly total: number
  readonly sections: readonly ScrubberSection[]
  /** A new query is a new list. */
  readonly query: object
  readonly view: View
}

export function Titles({ pages, total, sections, query, view }: TitlesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>()
  const ref = useMergedRef(scroller, sizeRef)
  const { account } = useNames()
  // The first list keeps the scroll position of the user.
  const shown = useRef(`${JSON.stringify(query)} ${view}`)
  const isWall = view === 'wall'
  const columns = isWall ? Math.max(2, Math.floor((width + GAP) / (MIN_WIDTH + GAP))) : 1
  const cell = width === 0 ? MIN_WIDTH : (width - GAP * (columns - 1)) / columns
  const rowHeight = isWall ? Math.round(cell * 1.5) + CAPTION + GAP : ROW
  const virtual = useVirtualizer({
    count: Math.ceil(total / columns),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    paddingStart: 4,
    useFlushSync: false,
  })
  const lines = virtual.getVirtualItems()
  const [from, to] = [(lines[0]?.index ?? 0) * columns, Math.min(total, ((lines.at(-1)?.index ?? 0) + 1) * columns) - 1]
  // Measure before painting, so that no frame uses the old row height.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row height depends on the width
  useLayoutEffect(() => virtual.measure(), [rowHeight, columns])
  const { onRange } = pages
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function in each render
  useEffect(() => onRange(Math.min(from, Math.max(to, 0)), Math.max(to, 0)), [from, to])
  // A new list starts at the top.
  useEffect(() => {
    if (shown.current !== `${JSON.stringify(query)} ${view}`) scroller.current?.scrollTo({ top: 0 })
    shown.current = `${JSON.stringify(query)} ${view}`
  }, [query, view])
  useKeptPlace('library', scroller, width > 0)
  // After a jump, the target row also contains earlier titles, and the end of the list limits scrolling.
  const [jumped, setJumped] = useState<{ readonly row: number; readonly top: number } | null>(null)
  // The virtualizer knows of a jump only once its event has come, after the next key.
  const top = scroller.current?.scrollTop ?? 0
  const seen = jumped?.top === top ? jumped.row : Math.min(total - 1, Math.round(top / rowHeight) * columns)
  function jump(row: number) {
    scroller.current!.scrollTo({ top: Math.floor(row / columns) * rowHeight })
    setJumped({ row, top: scroller.current!.scrollTop })
  }

  const onKeyDown = moveByArrows({
    count: total,
    reveal: (index) => virtual.scrollToIndex(Math.floor(index / columns)),
  })

  return (
    <div className="with-scrubber filled">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its links have the focus */}
      <div ref={ref} className="wall" onKeyDown={onKeyDown}>
        <ul
          className="plain-list"
          aria-label={texts.label}
          style={{ height: virtual.getTotalSize(), position: 'relative' }}
        >
          {width === 0
            ? null
            : lines.flatMap(({ index: line, start }) =>
                Array.from({ length: Math.min(columns, total - line * columns) }, (_, column) => {
                  const index = line * columns + column
                  const item = pages.itemAt(index)
                  return (
                    <li
                      key={index}
                      className="wall-cell"
                      aria-setsize={total}
                      aria-posinset={index + 1}
                      data-item={index}
                      style={{ width: cell, transform: `translate(${column * (cell + GAP)}px, ${start}px)` }}
                    >
                      {item === undefined ? (
                        <Skeleton height={rowHeight - GAP} radius="md" />
                      ) : isWall ? (
                        <Card item={item} />
                      ) : (
                        <Row item={item} account={account} />
                      )}
                    </li>
                  )
                }),
              )}
        </ul>
      </div>
      {total < LEAST_TO_JUMP || sections.length < 2 ? null : (
        <Scrubber label={texts.jump} sections={sections} total={total} at={seen} onJump={jump} />
      )}
    </div>
  )
}

const Card = memo(function Card({ item }: { readonly item: TitleItem }) {
  const title = item.title || texts.untitled
  return (
    <Link href={titleAddress(item.key)} className="title-link">
      <div aria-hidden>
        <PosterImage src={pictureOf(item, 342)} title={title} />
      </div>
      {item.progress === null || item.progress <= 0 ? null : (
        <span className="title-progress" aria-hidden>
          <span style={{ width: `${Math.min(100, item.progress)}%` }} />
        </span>
      )}
      <div className="caption">
        <Text size="sm" fw={600} className="two-lines" data-title title={title}>
          {title}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {[item.year, factOf(item)].filter((part) => part !== null).join(' · ')}
        </Text>
      </div>
    </Link>
  )
})

const Row = memo(function Row({
  item,
  account,
}: {
  readonly item: TitleItem
  readonly account: (provider: string, instance?: string) => string
}) {
  const title = item.title || texts.untitled
  const kind = item.anime ? 'anime' : (item.kind as 'movie' | 'show')
  return (
    <Link href={titleAddress(item.key)} className="title-link">
      <Group gap="md" wrap="nowrap" h={ROW - GAP}>
        <Box w={44} style={{ flexShrink: 0 }} aria-hidden>
          <PosterImage src={pictureOf(item, 185)} title={title} isSmall />
        </Box>
        <div className="grow">
          <Text size="sm" fw={600} truncate data-title>
            {title}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {[texts.kindsOne[kind], item.year, factOf(item)].filter((part) => part !== null).join(' · ')}
          </Text>
        </div>
        <Text size="xs" c="dimmed" truncate visibleFrom="sm" style={{ flex: '0 1 14rem' }}>
          {item.accounts.map(({ provider, instance }) => account(provider, instance)).join(', ')}
        </Text>
        <Text size="xs" c="dimmed" visibleFrom="md" w="8rem" ta="right" component="div">
          <TimeText at={item.last_watched} never="" />
        </Text>
      </Group>
    </Link>
  )
})

/** The most informative fact. */
function factOf(item: TitleItem): string | null {
  if (item.rating !== null) return say(texts.rated, { n: item.rating })
  if (item.kind === 'show' && item.episodes > 0) return say(texts.episodes, { n: item.episodes })
  if (item.plays > 0) return say(texts.watched, { n: item.plays })
  if (item.progress !== null && item.progress > 0) return say(texts.progress, { n: Math.round(item.progress) })
  return item.accounts.some(({ features }) => features.includes('watchlist')) ? texts.onWatchlist : null
}

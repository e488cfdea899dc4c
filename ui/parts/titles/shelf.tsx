// A horizontally scrolling row of posters. Its size does not change while it loads.
import { Anchor, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { memo, type ReactNode } from 'react'
import { Link } from 'wouter'
import { say } from '../../texts/say.ts'
import { parts } from '../../texts/en/parts.ts'
import { moveByArrows } from '../lists/arrows.ts'
import { PosterImage } from '../values/poster-image.tsx'

export interface ShelfItem {
  readonly key: string
  readonly title: string
  readonly href: string
  readonly picture: string | null
  readonly line?: ReactNode
  /** Percent. */
  readonly progress?: number | null
  /** Shown on the poster: icons of services. */
  readonly badge?: ReactNode
}

interface ShelfProps {
  readonly title: string
  readonly more?: { readonly text: string; readonly href: string }
  /** Between the title and the posters. */
  readonly lead?: ReactNode
  /** undefined while it loads. */
  readonly items: readonly ShelfItem[] | undefined
  /** Shown in place of the posters if there are none. */
  readonly empty?: ReactNode
}

const WAITING = [1, 2, 3, 4, 5, 6, 7, 8, 9]

export function Shelf({ title, more, lead, items, empty }: ShelfProps) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between" align="baseline" wrap="nowrap">
        <Title order={2} size="h4">
          {title}
        </Title>
        {more === undefined ? null : (
          <Anchor component={Link} href={more.href} size="sm">
            {more.text}
          </Anchor>
        )}
      </Group>
      {lead}
      {items?.length === 0 ? (
        <Text size="sm" c="dimmed" component="div">
          {empty}
        </Text>
      ) : (
        // Browsers give a scroller without links, as while it loads, a tab stop of its own.
        <ul className="plain-list shelf" tabIndex={-1} onKeyDown={moveByArrows({ count: items?.length ?? 0 })}>
          {items === undefined
            ? WAITING.map((place) => (
                <li key={place} aria-hidden>
                  <Skeleton className="shelf-waiting" radius="md" />
                  <div className="caption">
                    <Skeleton h={12} mt="xs" w="80%" />
                    <Skeleton h={10} mt="xs" w="50%" />
                  </div>
                </li>
              ))
            : items.map((item, index) => (
                <li key={item.key} data-item={index}>
                  <ShelfCard item={item} />
                </li>
              ))}
        </ul>
      )}
    </Stack>
  )
}

const ShelfCard = memo(function ShelfCard({ item }: { readonly item: ShelfItem }) {
  const { title, href, picture, line, progress = null, badge } = item
  return (
    <Link href={href} className="title-link">
      <div className="shelf-poster">
        <div aria-hidden>
          <PosterImage src={picture} title={title} />
        </div>
        {badge === undefined ? null : <div className="shelf-badge">{badge}</div>}
        {progress === null ? null : (
          <span
            className="shelf-progress"
            role="progressbar"
            aria-label={say(parts.progressOf, { title })}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.floor(progress)}
          >
            <span style={{ width: `${Math.min(100, progress)}%` }} />
          </span>
        )}
      </div>
      <div className="caption">
        <Text size="sm" fw={600} className="two-lines" data-title title={title}>
          {title}
        </Text>
        <Text size="xs" c="dimmed" truncate component="div">
          {line}
        </Text>
      </div>
    </Link>
  )
})

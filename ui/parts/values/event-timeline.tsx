// Events as a timeline, grouped by run.
import { Anchor, Group, Stack, Text, ThemeIcon, Timeline } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconPoint, IconX } from '@tabler/icons-react'
import { Link } from 'wouter'
import { episodeCode } from './episode.ts'
import { featureName } from './names.ts'
import { originText } from './origin-text.ts'
import { TimeText } from './time-text.tsx'
import { events } from '../../texts/en/events.ts'
import { say } from '../../texts/say.ts'
import { routeText } from './event-route.ts'
import {
  eventSentence,
  eventTone,
  playText,
  reasonSentence,
  valueText,
  type EventRow,
  type NameOf,
} from './event-text.ts'

const STYLES = {
  good: { color: 'green.8', icon: IconCheck },
  bad: { color: 'red.8', icon: IconX },
  warn: { color: 'orange.9', icon: IconAlertTriangle },
  busy: { color: 'blue.8', icon: IconPoint },
  idle: { color: 'gray.7', icon: IconPoint },
} as const
const WORST_FIRST = ['bad', 'warn', 'good', 'busy', 'idle'] as const

interface Chapter {
  readonly key: string
  readonly runId: string | null
  readonly rows: readonly EventRow[]
}

/**
 * @param rows in either order; the order is kept
 * @param withEpisodes rows of several episodes: each names its own
 */
export function EventTimeline({
  rows,
  nameOf,
  label,
  withEpisodes = false,
}: {
  readonly rows: readonly EventRow[]
  readonly nameOf: NameOf
  readonly label: string
  readonly withEpisodes?: boolean
}) {
  return (
    <Timeline bulletSize={26} lineWidth={2} aria-label={label}>
      {chaptersOf(rows).map(({ key, runId, rows: own }) => {
        const tone = WORST_FIRST.find((each) => own.some((row) => eventTone(row) === each)) ?? 'idle'
        const { color, icon: Icon } = STYLES[tone]
        const [first] = own as [EventRow, ...EventRow[]]
        return (
          <Timeline.Item
            key={key}
            bullet={
              <ThemeIcon size={26} radius="xl" color={color}>
                <Icon size={15} aria-hidden />
              </ThemeIcon>
            }
          >
            <Stack gap="xs" mt={-2}>
              {own.map((row, index) => (
                <Line key={row.id} row={row} before={own[index - 1]} nameOf={nameOf} withEpisode={withEpisodes} />
              ))}
              <Text size="sm" c="dimmed">
                <TimeText at={first.created_at * 1000} />
                {routeText(first, nameOf) === null ? '' : ` · ${routeText(first, nameOf)}`}
                {first.feature === null ? '' : ` · ${featureName(first.feature)}`}
                {runId === null ? null : (
                  <>
                    {' · '}
                    <Anchor component={Link} href={`/runs/${encodeURIComponent(runId)}`} size="sm" underline="always">
                      {events.inRun}
                    </Anchor>
                  </>
                )}
              </Text>
            </Stack>
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}

/** Omits details that the previous line already shows. */
function Line({
  row,
  before,
  nameOf,
  withEpisode,
}: {
  readonly row: EventRow
  readonly before: EventRow | undefined
  readonly nameOf: NameOf
  readonly withEpisode: boolean
}) {
  const reason = before?.reason_code === row.reason_code ? null : reasonSentence(row, nameOf)
  const act = originText(row, row.feature, nameOf)
  const episode = withEpisode ? episodeCode(row.season, row.episode) : ''
  const isChange = row.value_type !== null && row.old_value !== row.new_value
  return (
    <div>
      <Group gap="xs">
        <Text fw={600}>{eventSentence(row, nameOf)}</Text>
        {episode === '' ? null : <Text size="sm">{episode}</Text>}
        {isChange ? (
          <Text size="sm">
            {say(events.values, { before: valueText(row.old_value), after: valueText(row.new_value) })}
          </Text>
        ) : null}
      </Group>
      {reason === null ? null : <Text size="sm">{reason}</Text>}
      {act === null || act === (before === undefined ? null : originText(before, before.feature, nameOf)) ? null : (
        <Text size="sm">{act}</Text>
      )}
      {playText(row) === '' ? null : <Text size="sm">{playText(row)}</Text>}
      {row.match_basis === null || row.match_basis === before?.match_basis ? null : (
        <Text size="xs" c="dimmed">
          {say(events.matched, { basis: row.match_basis })}
        </Text>
      )}
    </div>
  )
}

function chaptersOf(rows: readonly EventRow[]): readonly Chapter[] {
  const chapters: { key: string; runId: string | null; route: string; rows: EventRow[] }[] = []
  for (const row of rows) {
    const last = chapters.at(-1)
    const route = `${row.source_provider} ${row.source_instance} ${row.destination_provider} ${row.destination_instance} ${row.feature}`
    if (last !== undefined && row.run_id !== null && last.runId === row.run_id && last.route === route)
      last.rows.push(row)
    else chapters.push({ key: String(row.id), runId: row.run_id, route, rows: [row] })
  }
  return chapters
}

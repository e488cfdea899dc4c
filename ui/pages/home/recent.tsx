// What was watched last, and where it was recorded.
import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { episodeCode } from '../../parts/values/episode.ts'
import { useNames, type Names } from '../../parts/values/names.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { home } from '../../texts/en/home.ts'
import { say } from '../../texts/say.ts'

const { recent: texts } = home
const SHOWN = 5
const REFRESH_MS = 60_000

/** A row of the activity; the description of the route names only its common members. */
interface Watched {
  readonly id: string
  readonly kind: string
  readonly method?: string
  readonly source: string
  readonly source_instance: string
  readonly targets: readonly { readonly target: string; readonly target_instance: string }[]
  readonly title: string
  readonly year?: number
  readonly season?: number
  readonly episode?: number
  readonly progress?: number
  readonly account?: string
  /** Epoch seconds. */
  readonly watched_at: number
}

/** Renders nothing until something was watched. */
export function RecentlyWatched() {
  const names = useNames()
  const { data: playing } = useRead(['watch', 'playing'], 'GET /api/watch/currently_watching')
  const { data } = useRead(
    ['watch', 'recent'],
    'GET /api/activity/recent',
    { query: { limit: SHOWN } },
    { refetchInterval: REFRESH_MS, enabled: (playing?.accounts_count ?? 0) > 0 },
  )
  const rows = (data?.items ?? []) as unknown as readonly Watched[]
  if (rows.length === 0 || !names.isKnown) return null
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <Group justify="space-between" align="baseline">
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        <Anchor component={Link} href="/scrobbling" size="sm">
          {texts.all}
        </Anchor>
      </Group>
      <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
        {rows.map((row, index) => (
          <Row key={row.id} row={row} names={names} isFirst={index === 0} />
        ))}
      </Paper>
    </Stack>
  )
}

function Row({ row, names, isFirst }: { readonly row: Watched; readonly names: Names; readonly isFirst: boolean }) {
  const { title, year, season, episode, account, progress, targets, watched_at: at } = row
  const code = episodeCode(season, episode)
  const name = code !== '' ? `${title} ${code}` : year === undefined ? title : `${title} (${year})`
  // Several accounts may have got it; providers are named in lower case here.
  const to = targets.map((one) => names.account(one.target.toUpperCase(), one.target_instance)).join(', ')
  const source = names.account(row.source.toUpperCase(), row.source_instance)
  return (
    <Group
      component="li"
      aria-label={name}
      justify="space-between"
      gap="sm"
      py="xs"
      style={isFirst ? undefined : { borderTop: '1px solid var(--row-line)' }}
    >
      <div style={{ flex: '1 1 14rem', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Text fw={500}>{name}</Text>
        <Text size="sm" c="dimmed">
          {[
            say(texts.to, { targets: to }),
            `${say(texts.from, { source })}${account === undefined ? '' : ` ${say(texts.by, { account })}`}`,
            methodText(row),
            progress === undefined ? '' : say(texts.progress, { n: Math.round(progress) }),
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </Text>
      </div>
      <Text size="sm" c="dimmed" component="div">
        <TimeText at={at * 1000} />
      </Text>
    </Group>
  )
}

function methodText({ kind, method = '' }: Watched): string {
  if (kind === 'history_sync') return texts.methods.sync
  return (texts.methods as Readonly<Record<string, string>>)[method] ?? ''
}

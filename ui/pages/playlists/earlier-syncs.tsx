// Earlier syncs of one playlist with its own counts, because a run may have synced much else.
import { Stack, Text, Title } from '@mantine/core'
import { useLocation } from 'wouter'
import { useRead } from '../../api/query.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { playlists } from '../../texts/en/playlists.ts'
import { say } from '../../texts/say.ts'
import { activityStatus, KEY, type Overview } from './state.ts'

const { runs: texts } = playlists
const SHOWN = 20
type Row = Overview['activity'][number]

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'when',
    header: texts.columns.when,
    width: '1fr',
    isTitle: true,
    cell: ({ ts }) => <TimeText at={ts * 1_000} />,
  },
  {
    id: 'result',
    header: texts.columns.result,
    width: '1.4fr',
    cell: (row) => <StatusBadge {...activityStatus(row)} />,
  },
  ...(['added', 'removed', 'moved', 'unresolved'] as const).map(
    (field): Column<Row> => ({
      id: field,
      isBare: true,
      header: field === 'unresolved' ? playlists.facts.unmatched : texts.columns[field],
      width: field === 'unresolved' ? '8rem' : '6rem',
      cell: (row) => <Text size="sm">{row[field] === undefined ? '' : say('{n}', { n: row[field] })}</Text>,
    }),
  ),
]

export function EarlierSyncs({ mappingId }: { readonly mappingId: string }) {
  const [, navigate] = useLocation()
  const query = useRead([...KEY, 'earlier', mappingId], 'GET /api/playlists/activity', {
    query: { mapping_id: mappingId, limit: SHOWN },
  })
  return (
    <Stack gap="xs" component="section" aria-label={texts.title}>
      <Title order={2} size="h4">
        {texts.title}
      </Title>
      <QueryView
        query={query}
        isEmpty={({ activity }) => activity.length === 0}
        empty={
          <Text size="sm" c="dimmed">
            {texts.none}
          </Text>
        }
      >
        {({ activity }) => (
          <DataTable
            label={texts.label}
            columns={COLUMNS}
            rows={activity}
            rowKey={({ ts, run_id: run, details }) => `${ts} ${run ?? ''} ${details}`}
            onOpen={({ run_id: run }) => {
              if (run !== undefined) navigate(`/runs/${run}`)
            }}
            height={420}
          />
        )}
      </QueryView>
    </Stack>
  )
}

// The runs of one synced playlist.
import { Stack, Text, Title } from '@mantine/core'
import { useLocation } from 'wouter'
import { useRead } from '../../api/query.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { type Run, resultLabel } from '../../parts/runs/result-label.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { playlists } from '../../texts/en/playlists.ts'

const { runs: texts } = playlists
const SHOWN = 20

const COLUMNS: readonly Column<Run>[] = [
  {
    id: 'when',
    header: texts.columns.when,
    width: '1fr',
    isTitle: true,
    cell: ({ started_at: at }) => <TimeText at={at} />,
  },
  { id: 'result', header: texts.columns.result, width: '1.4fr', cell: (run) => <StatusBadge {...resultLabel(run)} /> },
  ...(['added', 'removed', 'updated'] as const).map(
    (field): Column<Run> => ({
      id: field,
      header: field === 'updated' ? texts.columns.moved : texts.columns[field],
      width: '6rem',
      cell: (run) => <Text size="sm">{run[field]}</Text>,
    }),
  ),
]

export function EarlierSyncs({ pairId }: { readonly pairId: string }) {
  const [, navigate] = useLocation()
  const query = useRead(['runs', 'of-playlist'], 'GET /api/runs', {
    query: { pair_id: pairId, dry_run: false, limit: SHOWN },
  })
  return (
    <Stack gap="xs" component="section" aria-label={texts.title}>
      <Title order={2} size="h4">
        {texts.title}
      </Title>
      <QueryView
        query={query}
        isEmpty={({ runs }) => runs.length === 0}
        empty={
          <Text size="sm" c="dimmed">
            {texts.none}
          </Text>
        }
      >
        {({ runs }) => (
          <DataTable
            label={texts.label}
            columns={COLUMNS}
            rows={runs}
            rowKey={({ run_id: id }) => id}
            onOpen={({ run_id: id }) => navigate(`/runs/${id}`)}
            height={420}
          />
        )}
      </QueryView>
    </Stack>
  )
}

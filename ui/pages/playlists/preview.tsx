// Previews a sync: a dry run, its plans, and skipped or held items.
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { useChange, useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { PlanView } from '../../parts/plan-view/index.tsx'
import { FollowRun } from '../../parts/runs/follow-run.tsx'
import { playlists } from '../../texts/en/playlists.ts'
import { say } from '../../texts/say.ts'
import { type Approve, Facts, Held, Notes, Unmatched } from './result.tsx'
import type { Mapping, Preview } from './state.ts'

const { preview: texts, facts } = playlists

interface PreviewPartProps {
  readonly mapping: Mapping
  readonly pairId: string
  readonly onClose: () => void
  readonly onApprove: Approve
}

export function PreviewPart({ mapping, pairId, onClose, onApprove }: PreviewPartProps) {
  const [isOver, setOver] = useState(false)
  const start = useChange('POST /api/run')
  const { mutate } = start
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each preview
  useEffect(() => mutate({ body: { pair_id: pairId, dry_run: true, source: 'ui' } }), [])
  const runId = start.data?.run_id ?? null
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.title} miw={0}>
      <Stack>
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <div>
            <Title order={2} size="h4">
              {texts.title}
            </Title>
            <Text size="sm" c="dimmed">
              {texts.text}
            </Text>
          </div>
          <Button size="compact-sm" variant="subtle" onClick={onClose}>
            {texts.close}
          </Button>
        </Group>
        {start.error === null ? null : (
          <Failure
            error={start.error}
            onRetry={() => mutate({ body: { pair_id: pairId, dry_run: true, source: 'ui' } })}
          />
        )}
        {isOver || runId === null ? null : <FollowRun runId={runId} onEnd={() => setOver(true)} />}
        {isOver && runId !== null ? <Found mapping={mapping} runId={runId} onApprove={onApprove} /> : null}
        {runId === null && start.error === null ? <Loading rows={3} /> : null}
      </Stack>
    </Paper>
  )
}

function Found({
  mapping,
  runId,
  onApprove,
}: {
  readonly mapping: Mapping
  readonly runId: string
  readonly onApprove: Approve
}) {
  const plans = useRead(['plans', 'of-playlists'], 'GET /api/plans', { query: { run_id: runId } })
  const preview = usePreview(mapping.id, runId)
  return (
    <QueryView query={preview} rows={5}>
      {(found) => {
        const adds = found.planned_additions ?? 0
        const changes = adds + (found.planned_removals ?? 0) + (found.reorder_count ?? 0)
        const shown = plans.data?.plans ?? []
        return (
          <Stack>
            <Facts
              facts={[
                [facts.source, found.source_count],
                [facts.target, found.target_count],
                [facts.adds, adds],
                [facts.removes, found.planned_removals],
                [facts.moves, found.reorder_count],
                [facts.held, found.blocked_removals],
                [facts.unmatched, found.unresolved_count],
              ]}
            />
            <Notes found={found} />
            <Held mapping={mapping} found={found} onApprove={onApprove} />
            {shown.map(({ plan_id: id }) => (
              <PlanView key={id} planId={id} withActions={false} />
            ))}
            {shown.length === 0 && plans.data !== undefined ? (
              changes > 0 && found.blocked !== true ? (
                <NewItems found={found} />
              ) : found.blocked === true ? null : (
                <EmptyState icon={IconChecks} title={texts.nothing} text={texts.nothingText} />
              )
            ) : null}
            <Unmatched found={found} />
          </Stack>
        )
      }}
    </QueryView>
  )
}

/** The counts and skipped items; read once per preview. */
function usePreview(mappingId: string, runId: string) {
  return useQuery<Preview, ApiError>({
    queryKey: ['playlists-preview', mappingId, runId],
    queryFn: async ({ signal }) => {
      const answer = await api('POST /api/playlists/mappings/{mapping_id}/preview', {
        params: { mapping_id: mappingId },
        body: {},
        signal,
      })
      return answer.preview
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** A list that does not exist yet has no plan. */
function NewItems({ found }: { readonly found: Preview }) {
  const items = found.addition_items ?? []
  const n = found.planned_additions ?? 0
  return (
    <Stack gap="2xs">
      <Text>{say(texts.waiting, { n })}</Text>
      <ol className="plain-list" aria-label={texts.items}>
        {items.map(({ key, title, year }) => (
          <li key={key}>
            <Text size="sm" truncate dir="auto">
              {[title ?? playlists.unmatched.untitled, ...(year === null ? [] : [`(${year})`])].join(' ')}
            </Text>
          </li>
        ))}
      </ol>
      {n > items.length ? <Text size="sm">{say(playlists.unmatched.more, { n: n - items.length })}</Text> : null}
    </Stack>
  )
}

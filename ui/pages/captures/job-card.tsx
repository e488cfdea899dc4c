// The progress and the result of a capture, restore or clear.
import { Alert, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useChange, useRead } from '../../api/query.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { featureName, useNames } from '../../parts/values/names.ts'
import { captures } from '../../texts/en/captures.ts'
import { say } from '../../texts/say.ts'
import { viewAddress, type Job } from './capture.ts'

const { job: texts } = captures
const POLL_MS = 700

interface Facts {
  readonly provider?: string
  readonly instance?: string
  readonly items_done?: number
  readonly total_items?: number | null
  readonly cancel_requested?: boolean
}

/** Polls a job until it ends. `null` polls nothing. */
export function useJob(
  id: string | null,
  onEnd: (job: Job) => void,
): { readonly job: Job | undefined; readonly error: Error | null } {
  const client = useQueryClient()
  const [ended, setEnded] = useState<string | null>(null)
  const query = useRead(
    ['captures', 'job'],
    'GET /api/snapshots/capture-progress/{progress_id}',
    { params: { progress_id: id ?? '' } },
    { enabled: id !== null, refetchInterval: id !== null && ended !== id ? POLL_MS : false },
  )
  const job = id === null ? undefined : query.data?.progress
  useEffect(() => {
    if (job === undefined || !job.done || job.id !== id || ended === id) return
    setEnded(id)
    void client.invalidateQueries({ queryKey: ['captures'] })
    onEnd(job)
  }, [job, id, ended, client, onEnd])
  return { job, error: query.error }
}

export function JobProgress({ job, isLook = false }: { readonly job: Job; readonly isLook?: boolean }) {
  const names = useNames()
  const facts = job as Job & Facts
  const stop = useChange('POST /api/snapshots/capture-progress/{progress_id}/cancel', { refresh: [['captures']] })
  const account = names.account(facts.provider ?? '', facts.instance)
  const forms = texts as Readonly<Record<string, unknown>>
  const title = say(
    (isLook ? texts.looking : ((forms[job.operation ?? ''] as '{account}') ?? texts.capture)) as '{account}',
    { account },
  )
  // The service names the cause of the wait.
  const stage =
    job.on_hold != null
      ? job.on_hold.detail
      : ((texts.stages as Readonly<Record<string, string>>)[job.stage] ?? job.message)
  const step =
    job.current_feature == null ? stage : say(texts.step, { feature: featureName(job.current_feature), stage })
  const isStopping = facts.cancel_requested === true || stop.isPending
  const { items_done: done = 0, total_items: total = null } = facts
  return (
    <Paper withBorder p="md" role="status">
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <div className="grow">
          <Text fw={600} truncate>
            {title}
          </Text>
          <Text size="sm" c="dimmed" truncate>
            {isStopping ? texts.cancelling : step}
            {done > 0 && total !== null && total > 0 ? ` · ${say(texts.count, { done, total })}` : ''}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          disabled={isStopping}
          onClick={() => stop.mutate({ params: { progress_id: job.id } })}
        >
          {texts.cancel}
        </Button>
      </Group>
      <Progress.Root
        role="progressbar"
        aria-label={title}
        aria-valuenow={job.percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <Progress.Section withAria={false} value={job.percent} animated striped />
      </Progress.Root>
    </Paper>
  )
}

/** The result of a capture; it can be dismissed. */
function CaptureEnd({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const result = (job.result ?? {}) as {
    readonly path?: string
    readonly partial?: boolean
    readonly snapshot?: {
      readonly stats?: { readonly count?: number }
      readonly children?: readonly { readonly feature: string; readonly error?: string }[]
    }
  }
  const unread = (result.snapshot?.children ?? []).filter(({ error }) => error !== undefined)
  const text =
    result.path === undefined
      ? job.state === 'cancelled'
        ? texts.cancelled
        : job.message
      : unread.length > 0
        ? say(texts.partial, { features: unread.map(({ feature }) => featureName(feature)).join(', ') })
        : say(texts.done, { n: result.snapshot?.stats?.count ?? 0 })
  const isGood = job.state === 'succeeded'
  return (
    <Alert
      role={isGood ? 'status' : 'alert'}
      color={isGood ? 'green' : job.state === 'cancelled' ? 'gray' : result.path === undefined ? 'red' : 'orange'}
      withCloseButton
      closeButtonLabel={texts.close}
      onClose={onClose}
    >
      <Group justify="space-between" gap="xs">
        <Text>{text}</Text>
        {result.path === undefined ? null : (
          <Button component={Link} href={viewAddress(result.path)} size="xs" variant="default">
            {texts.open}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

/** Follows a capture that was started on this page. */
export function FollowCapture({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [ended, setEnded] = useState<Job | null>(null)
  const { job, error } = useJob(id, setEnded)
  if (ended !== null) return <CaptureEnd job={ended} onClose={onClose} />
  return (
    <Stack gap="xs">
      {error === null ? null : <Failure error={error} />}
      {job === undefined ? null : <JobProgress job={job} />}
    </Stack>
  )
}

// Previews a play, records it, shows the result per account, and undoes it.
import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconArrowBackUp, IconCheck, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, type Body } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { RunProgress } from '../../parts/runs/run-progress.tsx'
import { undoPlans } from '../../parts/runs/undo-plans.ts'
import { acrossPersons } from '../../parts/persons/persons.ts'
import { titleAddress } from '../../parts/titles/pictures.ts'
import { plays as texts } from '../../texts/en/plays.ts'
import { say } from '../../texts/say.ts'
import { AccountResults, PlayTable, sumOf } from './results.tsx'
import type { Work } from '../../parts/titles/title-search.tsx'
import type { Play, Target, Watched } from './state.ts'

type Request = Body<'POST /api/manual/watched'>

export interface Order {
  readonly items: readonly Request['item'][]
  readonly common: Omit<Request, 'item'>
}

interface RecordingProps {
  readonly work: Work
  readonly order: Order
  readonly targets: readonly Target[]
  readonly onBack: () => void
  readonly onAnother: () => void
}

export function Recording({ work, order, targets, onBack, onAnother }: RecordingProps) {
  const client = useQueryClient()
  const preview = useQuery<readonly Watched[], ApiError>({
    queryKey: ['manual-preview', order],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const found: Watched[] = []
      for (const item of order.items)
        found.push(await api('POST /api/manual/watched', { body: { ...order.common, item, dry_run: true }, signal }))
      return found
    },
  })
  const [done, setDone] = useState<readonly Watched[] | null>(null)
  const [count, setCount] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)

  async function record() {
    setError(null)
    setCount(0)
    // With this key, a second click or a retry after a lost response records nothing twice.
    const key = crypto.randomUUID()
    const answers: Watched[] = []
    let meant: object = {}
    try {
      for (const [index, item] of order.items.entries()) {
        const answer = await acrossPersons((confirmed) => {
          meant = { ...meant, ...confirmed }
          return api('POST /api/manual/watched', {
            body: { ...order.common, item, ...meant, idempotency_key: `${key} ${index}` },
          })
        })
        if (answer === undefined) break
        answers.push(answer)
        setCount(index + 1)
      }
    } catch (caught) {
      setError(caught)
    }
    setCount(null)
    if (answers.length > 0) setDone(answers)
    for (const area of ['library', 'history', 'statistics', 'home']) void client.invalidateQueries({ queryKey: [area] })
  }

  if (done !== null) return <Done work={work} answers={done} targets={targets} error={error} onAnother={onAnother} />
  const plays: readonly Play[] = preview.data?.flatMap(({ plays: some = [] }) => some) ?? []
  const sums = preview.data === undefined ? [] : sumOf(preview.data)
  const open = sums.some(({ planned }) => planned > 0)
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.plan.title} miw={0}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            {texts.plan.title}
          </Title>
          <Text size="sm" c="dimmed">
            {texts.plan.text}
          </Text>
        </div>
        {preview.error === null ? null : <Failure error={preview.error} onRetry={() => void preview.refetch()} />}
        {error === null ? null : <Failure error={error} />}
        {preview.isPending ? (
          <Loading rows={4} />
        ) : preview.data === undefined ? null : (
          <>
            <PlayTable work={work} plays={plays} isNow={order.common.date_mode === 'today'} />
            {typeof order.common.rating === 'number' ? (
              <Text size="sm">{say(texts.plan.rating, { n: order.common.rating })}</Text>
            ) : null}
            <AccountResults sums={sums} targets={targets} />
          </>
        )}
        {count === null ? null : <RunProgress label={texts.result.recording} done={count} total={order.items.length} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={count !== null} onClick={onBack}>
            {texts.plan.back}
          </Button>
          <Button loading={count !== null} disabled={!open} onClick={() => void record()}>
            {open || preview.isPending ? say(texts.plan.record, { n: Math.max(1, plays.length) }) : texts.plan.nothing}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

interface DoneProps {
  readonly work: Work
  readonly answers: readonly Watched[]
  readonly targets: readonly Target[]
  readonly error: unknown
  readonly onAnother: () => void
}

function Done({ work, answers, targets, error, onAnother }: DoneProps) {
  const client = useQueryClient()
  const sums = sumOf(answers)
  const plans = sums.flatMap(({ plans: some }) => some)
  const isGood = error === null && answers.every(({ ok }) => ok)
  const isNothing = sums.every(({ done, already }) => done + already === 0)
  const [undoing, setUndoing] = useState<number | null>(null)
  const [isUndone, setUndone] = useState(false)

  async function undo() {
    const { undoTitle, undoText, undo: action } = texts.result
    if (!(await confirm({ title: undoTitle, text: say(undoText, { n: plans.length }), action }))) return
    setUndoing(0)
    try {
      const left = await undoPlans(plans, setUndoing)
      if (left.length === 0) {
        setUndone(true)
        notifyDone(texts.result.undone)
      } else notifyFailure(new Error(left.join(' ')), texts.result.undoPartly)
    } catch (caught) {
      notifyFailure(caught)
    }
    setUndoing(null)
    for (const area of ['library', 'history', 'runs']) void client.invalidateQueries({ queryKey: [area] })
  }

  return (
    <Paper withBorder p="md" component="section" aria-label={texts.result.title} miw={0}>
      <Stack>
        {isUndone ? (
          <Alert role="status" icon={<IconArrowBackUp aria-hidden />}>
            {texts.result.undone}
          </Alert>
        ) : (
          <Alert
            role="status"
            color={isGood ? 'green' : 'orange'}
            icon={isGood ? <IconCheck aria-hidden /> : undefined}
            title={isGood ? texts.result.title : isNothing ? texts.result.failed : texts.result.partly}
          >
            {work.year === null ? work.title : `${work.title} (${work.year})`}
          </Alert>
        )}
        {error === null ? null : <Failure error={error} />}
        {isUndone ? null : <AccountResults sums={sums} targets={targets} />}
        {undoing === null ? null : <RunProgress label={texts.result.undoing} done={undoing} total={plans.length} />}
        <Group>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onAnother}>
            {texts.result.another}
          </Button>
          {plans.length === 0 || isUndone ? null : (
            <Button
              variant="default"
              leftSection={<IconArrowBackUp size={16} aria-hidden />}
              loading={undoing !== null}
              onClick={() => void undo()}
            >
              {texts.result.undo}
            </Button>
          )}
          <Button variant="subtle" component={Link} href="/history">
            {texts.result.toHistory}
          </Button>
          {work.key === undefined ? null : (
            <Button variant="subtle" component={Link} href={titleAddress(work.key)}>
              {texts.result.toTitle}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  )
}

// The schedule: next runs, pause and resume, settings.
import { Alert, Button, SimpleGrid, Stack, Tooltip } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconAlertTriangle, IconLink, IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { api, type Operation } from '../../api/client.ts'
import { useDrawn } from '../../api/drawn.ts'
import { together, useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { schedule as texts } from '../../texts/en/schedule.ts'
import { say } from '../../texts/say.ts'
import { NextRun } from './next-run.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { Upcoming } from './upcoming.tsx'

const POLL_MS = 15_000
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

type ScheduleAction = Extract<
  Operation,
  'POST /api/scheduling/stop' | 'POST /api/scheduling/replan_now' | 'POST /api/scheduling/trigger_now'
>

export default function Schedule() {
  const client = useQueryClient()
  const [busy, setBusy] = useState<string | null>(null)
  const status = useRead(['schedule', 'status'], 'GET /api/scheduling/status', undefined, { refetchInterval: POLL_MS })
  const next = useRead(['schedule', 'next'], 'GET /api/scheduling/next', undefined, { refetchInterval: POLL_MS })
  const pairs = together(useRead(['pairs'], 'GET /api/pairs'), status, next)
  const hasPairs = (useDrawn(pairs.data)?.length ?? 0) > 0
  const [first, ...later] = next.data?.upcoming ?? []
  const refresh = () => client.invalidateQueries({ queryKey: ['schedule'] })

  async function act(name: string, operation: ScheduleAction, done: string, body?: object) {
    setBusy(name)
    try {
      await (api as (operation: ScheduleAction, input: { body?: object }) => Promise<unknown>)(
        operation,
        body === undefined ? {} : { body },
      )
      notifyDone(done)
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(null)
      await refresh()
    }
  }

  const { actions, done } = texts
  const isPaused = status.data?.paused === true
  const isOff = status.data?.effective_mode === 'disabled'
  const runNow = (jobId?: string) =>
    act('run', 'POST /api/scheduling/trigger_now', done.started, jobId === undefined ? {} : { job_id: jobId })
  const buttons = (
    <>
      <Tooltip label={actions.replanHelp} multiline maw={260}>
        <Button
          variant="subtle"
          leftSection={<IconRefresh size={16} aria-hidden />}
          disabled={isOff || isPaused}
          loading={busy === 'replan'}
          onClick={() => void act('replan', 'POST /api/scheduling/replan_now', done.replanned)}
        >
          {actions.replan}
        </Button>
      </Tooltip>
      {isPaused ? (
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={busy === 'resume'}
          onClick={() => void act('resume', 'POST /api/scheduling/replan_now', done.resumed)}
        >
          {actions.resume}
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} aria-hidden />}
          disabled={isOff}
          loading={busy === 'pause'}
          onClick={() => void act('pause', 'POST /api/scheduling/stop', done.paused)}
        >
          {actions.pause}
        </Button>
      )}
      <Button
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={busy === 'run'}
        onClick={() => void runNow()}
      >
        {actions.runNow}
      </Button>
    </>
  )

  return (
    <Page title={texts.title} text={say(texts.intro, { zone: ZONE })} actions={hasPairs ? buttons : undefined}>
      <QueryView
        query={pairs}
        rows={4}
        isEmpty={(list) => list.length === 0}
        empty={
          <EmptyState icon={IconLink} title={texts.noPairs.title} text={texts.noPairs.text} action={<NextStep />} />
        }
      >
        {(list) => (
          <QueryView query={status} rows={4}>
            {(now) => (
              <Stack gap="lg">
                {now.scheduling_warnings.length === 0 ? null : (
                  <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title={texts.warnings}>
                    {now.scheduling_warnings.join(' ')}
                  </Alert>
                )}
                <SimpleGrid cols={{ base: 1, sm: later.length > 0 || next.isError ? 2 : 1 }}>
                  <NextRun status={now} run={first} pairs={list} />
                  <QueryView query={next}>
                    {() => (later.length === 0 ? null : <Upcoming upcoming={later} pairs={list} />)}
                  </QueryView>
                </SimpleGrid>
                <ScheduleForm
                  config={now.config}
                  pairs={list}
                  zone={ZONE}
                  onSaved={refresh}
                  onRunJob={(id) => void runNow(id)}
                />
              </Stack>
            )}
          </QueryView>
        )}
      </QueryView>
    </Page>
  )
}

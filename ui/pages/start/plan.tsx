// Setup guide: review the plan.
import { serviceText } from '../../texts/service-text.ts'
import { Alert, Box, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconArrowLeft, IconCheck, IconPlayerPlay, IconRefresh } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { featureName, useNames } from '../../parts/values/names.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Loading } from '../../parts/page/loading.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { LiveRunCard } from '../../parts/runs/live-run-card.tsx'
import { start } from '../../texts/en/start.ts'
import { say } from '../../texts/say.ts'
import { startPlan, startRun, useRun } from './use-run.ts'
import type { GoTo, Place } from './steps.ts'

type Detail = Answer<'GET /api/runs/{run_id}'>
type Report = Detail['pairs'][number]['features'][number]

const { plan: texts } = start
const PlanView = lazyPart(
  () => import('../../parts/plan-view/index.tsx'),
  (module) => module.PlanView,
)

export function PlanStep({ place, goTo }: { readonly place: Place; readonly goTo: GoTo }) {
  const { query, live, isThis } = useRun(place.planRun as string)
  return (
    <QueryView query={query} rows={5}>
      {(detail) =>
        detail.run.running ? (
          <Stack>
            <Text c="dimmed">{texts.comparing}</Text>
            {isThis && live.isRunning ? <LiveRunCard live={live} /> : <Loading rows={3} />}
          </Stack>
        ) : (
          <Planned detail={detail} pairId={place.pairId as string} goTo={goTo} />
        )
      }
    </QueryView>
  )
}

function Planned({ detail, pairId, goTo }: { readonly detail: Detail; readonly pairId: string; readonly goTo: GoTo }) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const features = detail.pairs.flatMap((pair) => pair.features)
  const planned = features.reduce((sum, feature) => sum + feature.planned, 0)
  const isFailed =
    features.length === 0 ||
    features.every(({ status }) => status === 'failed' || status === 'skipped' || status === 'cancelled')

  async function act(what: () => Promise<void>) {
    setBusy(true)
    setError(null)
    try {
      await what()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  const compareAgain = () => act(async () => goTo({ planRun: await startPlan(pairId) }))
  const run = () => act(async () => goTo({ step: 'run', runId: await startRun({ pair_id: pairId }) }))

  return (
    <Stack>
      {isFailed ? null : planned === 0 ? (
        <Alert color="green" icon={<IconCheck aria-hidden />} title={texts.nothing}>
          {texts.nothingText}
        </Alert>
      ) : (
        <Text c="dimmed">{texts.text}</Text>
      )}
      {isFailed ? (
        <Failure
          error={
            new Error(
              features
                .map(
                  ({ feature, reason, reason_label: label }) =>
                    `${featureName(feature)}: ${label ?? reason ?? detail.run.result}`,
                )
                .join('. ') ||
                detail.run.reason ||
                detail.run.result,
            )
          }
          title={texts.failed}
        />
      ) : null}
      {isFailed ? null : features.map((feature) => <FeaturePlan key={feature.feature} report={feature} />)}
      {error === null ? null : <Failure error={error} />}
      <Group justify="space-between" className="wizard-bar">
        <Button
          variant="default"
          leftSection={<IconArrowLeft size={16} aria-hidden />}
          onClick={() => goTo({ step: 'choose' })}
        >
          {texts.change}
        </Button>
        <Group gap="xs">
          <Button
            variant={isFailed ? 'filled' : 'default'}
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isBusy}
            onClick={() => void compareAgain()}
          >
            {texts.again}
          </Button>
          {isFailed ? null : (
            <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} loading={isBusy} onClick={() => void run()}>
              {planned === 0 ? texts.go : say(texts.goWith, { n: planned })}
            </Button>
          )}
        </Group>
      </Group>
    </Stack>
  )
}

function FeaturePlan({ report }: { readonly report: Report }) {
  const names = useNames()
  const [isOpen, setOpen] = useState(false)
  const { sides, plan_id: planId } = report
  const name = featureName(report.feature)
  return (
    <Paper withBorder p="md" role="group" aria-label={name}>
      <Group justify="space-between" gap="xs">
        <div style={{ minWidth: 0, flex: '1 1 14rem' }}>
          <Text fw={600}>{name}</Text>
          {sides === null ? (
            <Text size="sm" c="dimmed">
              {serviceText(report.reason_label) ?? texts.counts.none}
            </Text>
          ) : (
            (['a', 'b'] as const).map((side) => (
              <Text key={side} size="sm" c="dimmed">
                {say(texts.to, {
                  name: names.account(sides[side].provider, sides[side].instance),
                  changes: changesOf(sides[side]),
                })}
              </Text>
            ))
          )}
        </div>
        {planId === null ? null : (
          <Button variant="default" size="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {say(isOpen ? texts.close : texts.open, { feature: name })}
          </Button>
        )}
      </Group>
      {planId === null || !isOpen ? null : (
        <Box mt="md">
          <Suspense fallback={<Loading rows={4} />}>
            <PlanView planId={planId} withActions={false} />
          </Suspense>
        </Box>
      )}
    </Paper>
  )
}

function changesOf({ add, update, remove, held }: NonNullable<Report['sides']>['a']): string {
  const parts = Object.entries({ add, update, remove, held })
    .filter(([, n]) => n > 0)
    .map(([kind, n]) => say(texts.counts[kind as 'add'], { n }))
  return parts.length === 0 ? texts.counts.none : parts.join(', ')
}

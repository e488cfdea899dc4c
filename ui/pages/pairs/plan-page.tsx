// One plan, with links to the other plans of the same run.
import { Group } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { useFeatureNames } from '../../parts/values/names.ts'
import { Page } from '../../parts/page/page.tsx'
import { Pending } from '../../parts/page/loading.tsx'
import { useDrawn } from '../../api/drawn.ts'
import { PlanView } from '../../parts/plan-view/index.tsx'
import { pairs as texts } from '../../texts/en/pairs.ts'
import { plan as planTexts } from '../../texts/en/plan.ts'
import { say } from '../../texts/say.ts'

export function PlanPage({ id }: { readonly id: string }) {
  const { data } = useRead(['plans', id], 'GET /api/run/plan/{plan_id}', {
    params: { plan_id: id },
    query: { limit: 0 },
  })
  const plan = useDrawn(data)
  const { data: pairs } = useRead(['pairs'], 'GET /api/pairs')
  const pair = pairs?.find((one) => one.id === plan?.pair_id)
  const title = pair === undefined ? texts.plan.title : say(texts.plan.of, { name: pair.name })
  const breadcrumbs = [
    { title: texts.title, href: '/pairs' },
    ...(pair === undefined ? [] : [{ title: pair.name, href: `/pairs/${pair.id}` }]),
  ]
  return (
    <Page
      title={title}
      breadcrumbs={breadcrumbs}
      text={plan === undefined ? undefined : plan.state === 'planned' ? planTexts.intro : planTexts.introDone}
    >
      {plan === undefined ? null : <Siblings id={id} runId={plan.run_id} pairId={plan.pair_id} />}
      <PlanView planId={id} />
    </Page>
  )
}

function Siblings({ id, runId, pairId }: { readonly id: string; readonly runId: string; readonly pairId: string }) {
  const { data, error } = useRead(['plans', 'of-run'], 'GET /api/plans', { query: { run_id: runId, pair_id: pairId } })
  const featureName = useFeatureNames()
  if (data === undefined) return error === null ? <Pending /> : null
  if (data.plans.length < 2) return null
  return (
    <Group component="nav" gap="2xs" aria-label={texts.plan.features}>
      {data.plans.map(({ plan_id: planId, feature }) => (
        <Link
          key={planId}
          href={`/plans/${encodeURIComponent(planId)}`}
          className="tab"
          aria-current={planId === id ? 'page' : undefined}
        >
          {featureName(feature)}
        </Link>
      ))}
    </Group>
  )
}

// The plan of a recipe: what is made and changed, what is set up already, what is not possible, and the button.
import { Alert, Button, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconArrowRight, IconCheck, IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { acrossPersons, namesText } from '../../parts/persons/persons.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import type { Candidate, Recipe } from '../../parts/recipes/recipes.ts'
import { Copy } from '../../parts/values/copy.tsx'
import { featureName } from '../../parts/values/names.ts'
import { persons } from '../../texts/en/persons.ts'
import { recipes } from '../../texts/en/recipes.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { startPlan } from './use-run.ts'

const { plan: texts } = recipes
const FRESH_MS = 60_000

type Plan = Answer<'POST /api/recipes/plan'>
type Change = Plan['changes'][number]
type Entry = Plan['kept'][number]
type Refusal = Plan['refused'][number]

interface RecipePlanProps {
  readonly recipe: Recipe
  readonly chosen: Readonly<Record<string, Candidate>>
  readonly onReview: (pairId: string, planRun: string) => void
}

export function RecipePlan({ recipe, chosen, onReview }: RecipePlanProps) {
  const accounts = Object.fromEntries(
    Object.entries(chosen).map(([slot, { provider, instance }]) => [slot, { provider, instance }]),
  )
  const query = useRead(
    ['recipes', 'plan'],
    'POST /api/recipes/plan',
    { body: { recipe: recipe.id, accounts } },
    { staleTime: FRESH_MS, keepPrevious: true },
  )
  return (
    <QueryView query={query} rows={4}>
      {(plan) => <Planned plan={plan} isMove={recipe.id === 'move-tracker'} onReview={onReview} />}
    </QueryView>
  )
}

function Planned({
  plan,
  isMove,
  onReview,
}: {
  readonly plan: Plan
  readonly isMove: boolean
  readonly onReview: RecipePlanProps['onReview']
}) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const [made, setMade] = useState<Plan | null>(null)
  const isOutdated = isApiError(error, 409) && error.code === 'plan_outdated'

  async function act(work: () => Promise<void>) {
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (failure) {
      setError(failure)
      if (isApiError(failure, 409)) void client.invalidateQueries({ queryKey: ['recipes'] })
    }
    setBusy(false)
  }
  /** To the plan of the first sync, which nothing was written for yet. */
  const goOn = async ({ first_pair: pair }: Plan) => {
    if (pair === null) navigate('/pairs')
    else onReview(pair, await startPlan(pair))
  }
  const apply = () =>
    act(async () => {
      const applied = await acrossPersons((confirmed) =>
        api('POST /api/recipes/apply', { body: { plan_id: plan.plan_id, ...confirmed } }),
      )
      if (applied === undefined) return
      notifyDone(recipes.done)
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'plan' })
      const isNew = applied.changes.some(({ action, address }) => action === 'make' && address !== null)
      if (isNew) setMade(applied)
      else await goOn(applied)
    })

  if (made !== null)
    return (
      <Stack>
        <Lines changes={made.changes} isMade />
        {error === null ? null : <Failure error={error} />}
        <Group className="wizard-bar">
          <Button
            rightSection={<IconArrowRight size={16} aria-hidden />}
            loading={isBusy}
            onClick={() => void act(() => goOn(made))}
          >
            {texts.review}
          </Button>
        </Group>
      </Stack>
    )
  return (
    <Stack>
      {plan.changes.length === 0 ? (
        <Alert color="green" icon={<IconCheck aria-hidden />} title={texts.nothing} role="status">
          {texts.nothingText}
        </Alert>
      ) : (
        <>
          <Text c="dimmed">{texts.making}</Text>
          <Lines changes={plan.changes} />
        </>
      )}
      <Others title={texts.kept} lines={plan.kept.map((entry) => [entry.id, keptText(entry)])} />
      <Others title={texts.refused} lines={plan.refused.map((one, n) => [String(n), reasonText(one)])} />
      {plan.persons.length === 0 ? null : (
        <Alert
          color="yellow"
          icon={<IconUsers aria-hidden />}
          title={say(persons.crossing.title, { names: namesText(plan.persons) })}
        >
          {texts.crosses}
        </Alert>
      )}
      {plan.terms.map(({ provider, text }) => (
        <Alert key={provider} color="gray" title={texts.terms}>
          {serviceText(text)}
        </Alert>
      ))}
      {error === null ? null : isOutdated ? (
        <Alert color="yellow" role="alert">
          {texts.outdated}
        </Alert>
      ) : (
        <Failure error={error} />
      )}
      <Group className="wizard-bar">
        {plan.changes.length === 0 ? (
          <Button component={Link} href="/pairs">
            {texts.toSync}
          </Button>
        ) : (
          <Button loading={isBusy} onClick={() => void apply()}>
            {isMove ? texts.move : texts.apply}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Lines({ changes, isMade = false }: { readonly changes: readonly Change[]; readonly isMade?: boolean }) {
  return (
    <List spacing="xs" aria-label={texts.title}>
      {changes.map((change) => (
        <List.Item key={`${change.kind} ${change.id} ${change.action}`}>
          {lineText(change)}
          {change.kind === 'webhook' && change.action === 'make' ? <Webhook change={change} isMade={isMade} /> : null}
        </List.Item>
      ))}
    </List>
  )
}

function Webhook({ change, isMade }: { readonly change: Change; readonly isMade: boolean }) {
  const name = change.source?.label ?? ''
  if (change.address === null)
    return (
      <Text size="sm" c="dimmed">
        {texts.addressNew}
      </Text>
    )
  return (
    <Stack gap="2xs">
      {isMade ? <Text size="sm">{say(texts.enterAddress, { name })}</Text> : null}
      <Group gap="xs" align="flex-end">
        <TextInput
          readOnly
          label={say(texts.address, { name })}
          value={change.address}
          style={{ flex: '1 1 14rem' }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Copy text={change.address} />
      </Group>
    </Stack>
  )
}

function Others({ title, lines }: { readonly title: string; readonly lines: readonly (readonly [string, string])[] }) {
  if (lines.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <List size="sm" spacing="2xs" c="dimmed">
        {lines.map(([key, text]) => (
          <List.Item key={key}>{text}</List.Item>
        ))}
      </List>
    </div>
  )
}

type Named = Pick<Entry, 'label' | 'source' | 'target' | 'features'>
type Templates = Readonly<Record<string, string>>

const valuesOf = ({ label, source, target, features }: Named) => ({
  label,
  name: label,
  source: source?.label ?? '',
  target: target?.label ?? '',
  features: features.map(featureName).join(', '),
})

function lineText(change: Change): string {
  const { kind, action, once, mode } = change
  const lines: Templates = (recipes.lines as unknown as Readonly<Record<string, Templates>>)[kind] ?? {}
  const name = once
    ? 'once'
    : kind === 'pair' && action === 'make'
      ? mode === 'two_way'
        ? 'twoWay'
        : 'oneWay'
      : action
  return say((lines[name] ?? recipes.lines.other) as '{label}', valuesOf(change))
}

function keptText(entry: Entry): string {
  const text = (recipes.keptLines as Templates)[entry.kind] ?? recipes.keptLines.other
  return say(text as '{label}', valuesOf(entry))
}

function reasonText(refusal: Refusal): string {
  const { reason, features } = refusal
  const name = reason === 'unsupported' && features.length === 0 ? 'unsupportedAll' : reason
  const text = (recipes.reasons as Templates)[name] ?? recipes.reasons.other
  return say(text as '{name}{reason}', { ...valuesOf(refusal), reason: reason.replaceAll('_', ' ') })
}

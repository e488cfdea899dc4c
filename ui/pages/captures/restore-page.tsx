// Restores an account to a capture: options, preview, then the restore and its result.
import {
  Alert,
  Anchor,
  Badge,
  Button,
  Checkbox,
  Group,
  List,
  Paper,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { IconChecks, IconMinus, IconPencil, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useDrawn } from '../../api/drawn.ts'
import { useRead } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { useChangeAcross } from '../../parts/persons/persons.ts'
import { StepBar } from '../../parts/page/step-bar.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { UndoButton } from '../../parts/runs/undo.tsx'
import { PlanView } from '../../parts/plan-view/index.tsx'
import { reasonText } from '../../parts/plan-view/text.ts'
import { useNamed, useNames } from '../../parts/values/names.ts'
import { captures } from '../../texts/en/captures.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { About } from './about.tsx'
import { useAccounts } from './accounts.ts'
import { ABSENT, nameOf, viewAddress, whatOf, type Job, type Opened } from './capture.ts'
import { JobProgress, useJob } from './job-card.tsx'

const { restore: texts } = captures
type Mode = keyof typeof texts.ways
type Need = keyof typeof texts.needs
const MODES = Object.keys(texts.ways) as Mode[]
const EFFECTS: Readonly<Record<Mode, readonly (keyof typeof texts.effects)[]>> = {
  merge: ['add'],
  sync_values: ['add', 'update'],
  exact: ['add', 'update', 'remove'],
  clear_restore: ['remove', 'add'],
}
const SHOWN = 20
const ICONS = { add: IconPlus, update: IconPencil, remove: IconMinus } as const

/** The outcome of a restore or of its dry run. */
interface Result {
  readonly planned?: {
    readonly add: number
    readonly update: number
    readonly remove: number
    readonly left_out?: number
  }
  readonly needs?: readonly string[]
  readonly plan_ids?: readonly string[]
  readonly run_id?: string
  readonly before_path?: string | null
  readonly added?: number
  readonly updated?: number
  readonly removed?: number
  readonly verified?: boolean
  readonly children?: readonly Result[]
  readonly feature?: string
  readonly unresolved_count?: number
  readonly failed_count?: number
  readonly unresolved?: readonly Open[]
  readonly failed?: readonly Open[]
}

interface Open {
  readonly key: string
  readonly op: string
  readonly reason: string
}

export function RestorePage({ path }: { readonly path: string }) {
  const query = useNamed(useRead(['captures', 'one'], 'GET /api/snapshots/read', { query: { path, summary: true } }))
  const capture = useDrawn(query.data)?.snapshot
  return (
    <Page
      title={capture === undefined ? shell.pages.captures : say(texts.title, { name: nameOf(capture) })}
      text={texts.intro}
      breadcrumbs={[
        { title: shell.pages.captures, href: '/captures' },
        ...(capture === undefined ? [] : [{ title: nameOf(capture), href: viewAddress(path) }]),
      ]}
    >
      <QueryView query={query} absent={ABSENT}>
        {({ snapshot }) => <Steps capture={snapshot} />}
      </QueryView>
    </Page>
  )
}

function Steps({ capture }: { readonly capture: Opened }) {
  const names = useNames()
  const { accounts } = useAccounts()
  const [mode, setMode] = useState<Mode>('merge')
  const [instance, setInstance] = useState(capture.instance)
  const [jobId, setJobId] = useState<string | null>(null)
  const [isDry, setDry] = useState(true)
  const [looked, setLooked] = useState<Result | null>(null)
  const [ended, setEnded] = useState<Job | null>(null)
  const [failed, setFailed] = useState<Job | null>(null)
  const [confirmed, setConfirmed] = useState<readonly Need[]>([])
  const start = useChangeAcross('POST /api/snapshots/restore', { onDone: ({ progress_id: id }) => setJobId(id) })

  const { job, error } = useJob(jobId, (one) => {
    setJobId(null)
    const result = (one.result ?? {}) as Result
    if (isDry || one.error === 'confirmation_required') {
      if (result.planned === undefined) return setFailed(one)
      setLooked(result)
      setConfirmed([])
      setFailed(isDry ? null : one)
    } else if (result.added === undefined) setFailed(one)
    else setEnded(one)
  })

  function run(dry: boolean): void {
    setDry(dry)
    setFailed(null)
    start.mutate({
      body: { path: capture.path, mode, instance, dry_run: dry, confirm: [...confirmed], background: true },
    })
  }

  const isBusy = start.isPending || jobId !== null
  const account = names.account(capture.provider, instance)
  const profiles = (accounts ?? []).filter(({ provider }) => provider === capture.provider)
  const step = ended !== null ? 2 : looked !== null ? 1 : 0

  return (
    <Stack gap="md">
      <StepBar label={texts.title} steps={[texts.steps.how, texts.steps.look, texts.steps.done]} current={step} />
      {start.error === null ? null : <Failure error={start.error} />}
      {error === null ? null : <Failure error={error} />}
      {failed === null ? null : (
        <Alert color="red" role="alert">
          {failed.error === 'confirmation_required' ? texts.changed : failed.message}
        </Alert>
      )}
      {isBusy && job !== undefined ? <JobProgress job={job} isLook={isDry} /> : null}
      {step === 0 ? (
        <>
          <About capture={capture} />
          <Radio.Group label={texts.way} value={mode} onChange={(next) => setMode(next as Mode)}>
            <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
              {MODES.map((one) => (
                <Way key={one} mode={one} isDisabled={isBusy} />
              ))}
            </SimpleGrid>
          </Radio.Group>
          {profiles.length > 1 ? (
            <Select
              label={texts.account}
              data={profiles.map((one) => ({ value: one.instance, label: one.label }))}
              value={instance}
              allowDeselect={false}
              disabled={isBusy}
              onChange={(next) => setInstance(next ?? capture.instance)}
              description={instance === capture.instance ? undefined : texts.other}
              maw="24rem"
            />
          ) : null}
          <Group justify="flex-end">
            <Button loading={isBusy} onClick={() => run(true)}>
              {texts.look}
            </Button>
          </Group>
        </>
      ) : null}
      {step === 1 && looked !== null ? (
        <Looked
          key={looked.run_id}
          result={looked}
          confirmed={confirmed}
          onConfirmed={setConfirmed}
          isBusy={isBusy}
          account={account}
          onBack={() => {
            setLooked(null)
            setFailed(null)
          }}
          onRun={() => run(false)}
        />
      ) : null}
      {ended === null ? null : (
        <Ended
          job={ended}
          onAgain={() => {
            setEnded(null)
            setLooked(null)
          }}
        />
      )}
    </Stack>
  )
}

function Way({ mode, isDisabled }: { readonly mode: Mode; readonly isDisabled: boolean }) {
  const { title, text } = texts.ways[mode]
  return (
    <Radio.Card value={mode} p="md" bg="var(--card)" disabled={isDisabled} aria-label={title}>
      <Group wrap="nowrap" align="flex-start">
        <Radio.Indicator mt="3xs" />
        <div>
          <Group gap="xs">
            <Text fw={600}>{title}</Text>
            {mode === 'merge' ? <Badge variant="light">{texts.recommended}</Badge> : null}
          </Group>
          <Text size="sm" c="dimmed">
            {text}
          </Text>
          <Group gap="md" mt="xs">
            {EFFECTS[mode].map((effect) => {
              const Icon = ICONS[effect]
              return (
                <Group key={effect} gap="2xs" wrap="nowrap">
                  <Icon size={14} aria-hidden />
                  <Text size="xs" fw={600}>
                    {texts.effects[effect]}
                  </Text>
                </Group>
              )
            })}
          </Group>
        </div>
      </Group>
    </Radio.Card>
  )
}

interface LookedProps {
  readonly result: Result
  readonly confirmed: readonly Need[]
  readonly onConfirmed: (needs: readonly Need[]) => void
  readonly isBusy: boolean
  readonly account: string
  readonly onBack: () => void
  readonly onRun: () => void
}

function Looked({ result, confirmed, onConfirmed, isBusy, account, onBack, onRun }: LookedProps) {
  const { add = 0, update = 0, remove = 0, left_out: leftOut = 0 } = result.planned ?? {}
  const plans = result.plan_ids ?? []
  const [shown, setShown] = useState(plans[0] ?? null)
  const needs = (result.needs ?? []) as readonly Need[]
  const isOpen = needs.some((need) => !confirmed.includes(need))

  async function ask() {
    const text = say(texts.planned, { add, update, remove })
    if (await confirm({ title: say(texts.goText, { account }), text, action: texts.go, destructive: remove > 0 }))
      onRun()
  }

  if (plans.length === 0)
    return (
      <EmptyState
        icon={IconChecks}
        title={texts.nothing.title}
        text={leftOut === 0 ? texts.nothing.text : say(texts.leftOut, { n: leftOut })}
        action={
          <Button variant="default" onClick={onBack}>
            {texts.back}
          </Button>
        }
      />
    )
  return (
    <>
      <Paper withBorder p="md">
        <Group justify="space-between" gap="md">
          <div className="grow" style={{ minWidth: '16rem' }}>
            <Title order={2} size="h4">
              {say(texts.planned, { add, update, remove })}
            </Title>
            <Text size="sm" c="dimmed">
              {texts.before} {leftOut === 0 ? '' : say(texts.leftOut, { n: leftOut })}
            </Text>
          </div>
          <Group gap="xs">
            <Button variant="default" disabled={isBusy} onClick={onBack}>
              {texts.back}
            </Button>
            <Button
              loading={isBusy}
              disabled={isOpen}
              {...(remove > 0 ? { color: 'red.9' } : {})}
              onClick={() => void ask()}
            >
              {texts.go}
            </Button>
          </Group>
        </Group>
        {needs.length === 0 ? null : (
          <Alert color="orange" title={texts.confirm} mt="md">
            <Stack gap="xs">
              {needs.map((need) => (
                <Checkbox
                  key={need}
                  label={say((texts.needs[need] ?? need) as typeof texts.needs.removals, { n: remove })}
                  checked={confirmed.includes(need)}
                  onChange={(event) =>
                    onConfirmed(
                      event.currentTarget.checked ? [...confirmed, need] : confirmed.filter((one) => one !== need),
                    )
                  }
                />
              ))}
            </Stack>
          </Alert>
        )}
      </Paper>
      {plans.length < 2 ? null : <PlanTabs result={result} shown={shown} onShow={setShown} />}
      {shown === null ? null : <PlanView key={shown} planId={shown} withActions={false} />}
    </>
  )
}

function PlanTabs({
  result,
  shown,
  onShow,
}: {
  readonly result: Result
  readonly shown: string | null
  readonly onShow: (id: string) => void
}) {
  const featureOf = (id: string) =>
    whatOf((result.children ?? []).find(({ plan_ids: ids }) => ids?.includes(id) === true)?.feature ?? '')
  return (
    <Group gap="xs" role="group" aria-label={texts.plans}>
      {(result.plan_ids ?? []).map((id, index, all) => {
        const name = featureOf(id)
        const isSecond = index > 0 && featureOf(all[index - 1]!) === name
        return (
          <Button
            key={id}
            size="xs"
            variant={id === shown ? 'filled' : 'default'}
            aria-pressed={id === shown}
            onClick={() => onShow(id)}
          >
            {isSecond ? `${name} · ${texts.effects.add}` : name}
          </Button>
        )
      })}
    </Group>
  )
}

function Ended({ job, onAgain }: { readonly job: Job; readonly onAgain: () => void }) {
  const result = (job.result ?? {}) as Result
  const counts = { added: result.added ?? 0, updated: result.updated ?? 0, removed: result.removed ?? 0 }
  const isGood = job.state === 'succeeded'
  const isChanged = Object.values(counts).some((n) => n > 0)
  const parts = result.children ?? [result]
  const open = parts.flatMap(({ unresolved = [], failed = [] }) => [...unresolved, ...failed]).slice(0, SHOWN)
  const left = parts.reduce((sum, one) => sum + (one.unresolved_count ?? 0) + (one.failed_count ?? 0), 0)
  return (
    <Stack gap="md">
      <Alert
        role="status"
        color={isGood ? 'green' : 'orange'}
        title={isGood ? texts.done : texts.partial}
        icon={<IconChecks aria-hidden />}
      >
        <Stack gap="sm">
          <Text>{say(isGood ? texts.doneText : texts.partialText, counts)}</Text>
          {left === 0 ? null : (
            <div>
              <Text>{say(texts.left, { n: left })}.</Text>
              <List size="sm">
                {open.map(({ key, op, reason }) => (
                  <List.Item key={`${op} ${key}`} style={{ overflowWrap: 'anywhere' }}>
                    {key}: {reasonText({ reason, reason_label: null }) ?? reason}
                  </List.Item>
                ))}
              </List>
            </div>
          )}
          <Text size="sm">{texts.advice}</Text>
          <Group gap="xs">
            {result.run_id === undefined || !isChanged ? null : <UndoButton runId={result.run_id} />}
            {isGood ? null : (
              <Button variant="default" onClick={onAgain}>
                {texts.again}
              </Button>
            )}
            {result.before_path == null ? null : (
              <Anchor component={Link} href={viewAddress(result.before_path)} size="sm" inherit underline="always">
                {texts.beforeLink}
              </Anchor>
            )}
          </Group>
        </Stack>
      </Alert>
    </Stack>
  )
}

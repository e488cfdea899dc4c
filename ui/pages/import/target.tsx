// The target account, the preview of its changes, and the result.
import { Alert, Button, Checkbox, Group, Loader, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useChange, useRead } from '../../api/query.ts'
import { useChangeAcross } from '../../parts/persons/persons.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { NotUndoneAlert } from '../../parts/runs/not-undone.tsx'
import { featureName, useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { imports as texts } from '../../texts/en/import.ts'
import { say } from '../../texts/say.ts'
import { isWorking, planned, type Feature, type Import } from './state.ts'

const FRESH_MS = 300_000
const { target, plan, result } = texts
type Ratings = keyof typeof target.ratingsChoices

export function Target({ one }: { readonly one: Import }) {
  const names = useNames()
  const { data: providers } = useRead(['pairs', 'providers'], 'GET /api/sync/providers', undefined, {
    staleTime: FRESH_MS,
  })
  const held = Object.keys(one.features) as Feature[]
  const accounts = useMemo(
    () =>
      (providers ?? []).flatMap(({ name, instances, operations }) =>
        held.some((feature) => operations[feature]?.add === true)
          ? instances.filter(({ configured }) => configured).map(({ id }) => `${name}@${id}`)
          : [],
      ),
    [providers, held],
  )
  const [account, setAccount] = useState<string | null>(
    one.run === null ? null : `${one.run.provider}@${one.run.instance}`,
  )
  const [features, setFeatures] = useState<readonly Feature[]>(held)
  const [ratings, setRatings] = useState<Ratings>('newer')
  const [undated, setUndated] = useState('')
  // Never preselect one of several people: the history could belong to another person.
  const hasPersons = one.persons.length > 1
  const [person, setPerson] = useState<string | null>(one.run?.options?.person ?? null)
  const [isApproved, setApproved] = useState(false)
  const run = useChangeAcross('POST /api/import/run', { refresh: [['import']] })
  const cancel = useChange('POST /api/import/{import_id}/cancel', { refresh: [['import']] })
  const undo = useChange('POST /api/import/{import_id}/undo', { refresh: [['import']] })
  const [provider = '', instance = 'default'] = (account ?? '').split('@')
  const label = names.account(provider, instance)
  const working = isWorking(one) || run.isPending || undo.isPending

  const start = (isDry: boolean) =>
    run.mutate({
      body: {
        import_id: one.import_id,
        provider,
        provider_instance: instance,
        features: [...features],
        ratings,
        undated_as: undated === '' ? null : undated,
        person: person ?? undefined,
        ...(isApproved ? { approved: true } : {}),
        dry_run: isDry,
      },
    })
  const sums = planned(one)
  const toWrite = (sums['add'] ?? 0) + (sums['update'] ?? 0)
  const isCompared = one.state === 'planned' && one.run !== null
  const written = one.outcomes['applied'] ?? sums['done'] ?? 0

  async function askUndo() {
    if (await confirm({ title: result.undo, text: result.undoText, action: result.undo, destructive: true }))
      undo.mutate({ params: { import_id: one.import_id } })
  }

  return (
    <Stack gap="sm" component="section" aria-label={target.title}>
      <Title order={2} size="h4">
        {target.title}
      </Title>
      <Paper withBorder p="md">
        <Stack>
          <Select
            label={target.account}
            placeholder={target.choose}
            data={accounts.map((value) => {
              const [id = '', profile = 'default'] = value.split('@')
              return { value, label: names.account(id, profile) }
            })}
            value={account}
            onChange={setAccount}
            disabled={working}
            leftSection={account === null ? null : <ServiceMark provider={provider} />}
          />
          <Checkbox.Group
            label={target.features}
            value={[...features]}
            onChange={(next) => setFeatures(next as Feature[])}
          >
            <Group mt="xs">
              {held.map((feature) => (
                <Checkbox key={feature} value={feature} label={featureName(feature)} disabled={working} />
              ))}
            </Group>
          </Checkbox.Group>
          {held.includes('ratings') ? (
            <Select
              label={target.ratings}
              data={Object.entries(target.ratingsChoices).map(([value, text]) => ({ value, label: text }))}
              value={ratings}
              onChange={(next) => setRatings((next ?? 'newer') as Ratings)}
              allowDeselect={false}
              disabled={working}
            />
          ) : null}
          {held.includes('history') ? (
            <TextInput
              type="date"
              label={target.undated}
              description={target.undatedText}
              value={undated}
              onChange={(event) => setUndated(event.currentTarget.value)}
              disabled={working}
            />
          ) : null}
          {hasPersons ? (
            <Select
              label={target.person}
              description={target.personText}
              required
              data={one.persons.map(({ name, rows }) => ({
                value: name,
                label: say(target.personRows, { name: name === '' ? target.noPerson : name, n: rows }),
              }))}
              value={person}
              onChange={setPerson}
              disabled={working}
            />
          ) : null}
          {one.run?.error === 'read_doubtful' ? (
            <Checkbox
              label={target.approve}
              checked={isApproved}
              onChange={(event) => setApproved(event.currentTarget.checked)}
            />
          ) : null}
          <Group>
            <Button
              variant={isCompared ? 'default' : 'filled'}
              disabled={account === null || features.length === 0 || (hasPersons && person === null)}
              loading={working && one.run?.dry_run !== false}
              onClick={() => start(true)}
            >
              {target.compare}
            </Button>
          </Group>
          {run.error === null ? null : <Failure error={run.error} />}
          {undo.error === null ? null : <Failure error={undo.error} />}
        </Stack>
      </Paper>
      {working && one.state !== 'previewed' ? (
        <Paper withBorder p="md" role="status">
          <Group>
            <Loader size="sm" />
            <div>
              <Text fw={600}>{texts.states[one.state as keyof typeof texts.states] ?? texts.states.running}</Text>
              <Text size="sm" c="dimmed">
                {written > 0 ? say(plan.done, { n: written }) : result.working}
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              ml="auto"
              disabled={cancel.isPending}
              onClick={() => cancel.mutate({ params: { import_id: one.import_id } })}
            >
              {cancel.isPending ? result.cancelling : result.cancel}
            </Button>
          </Group>
        </Paper>
      ) : null}
      {isCompared && !working ? (
        <Paper withBorder p="md" component="section" aria-label={plan.title}>
          <Title order={2} size="h4" mb="xs">
            {plan.title}
          </Title>
          <Text role="status">
            {[
              say(plan.add, { n: sums['add'] ?? 0 }),
              say(plan.update, { n: sums['update'] ?? 0 }),
              say(plan.already, { n: (sums['already'] ?? 0) + (sums['duplicate'] ?? 0) }),
              say(plan.other, { n: (sums['conflict'] ?? 0) + (sums['unsupported'] ?? 0) + (sums['unmatched'] ?? 0) }),
            ].join(' · ')}
          </Text>
          {toWrite === 0 ? (
            <Text c="dimmed" mt="xs">
              {plan.nothing}
            </Text>
          ) : (
            <Button mt="md" onClick={() => start(false)}>
              {say(plan.write, { n: toWrite })}
            </Button>
          )}
        </Paper>
      ) : null}
      {one.state === 'done' ? (
        <Alert color="green" role="status">
          <Text>{say(result.done, { n: written, account: label })}</Text>
          <Button mt="sm" size="xs" variant="default" onClick={() => void askUndo()}>
            {result.undo}
          </Button>
        </Alert>
      ) : null}
      {one.state === 'undone' ? <Alert role="status">{result.undone}</Alert> : null}
      {one.state === 'partly_undone' && one.run !== null ? (
        <NotUndoneAlert of={one.run} title={result.partlyUndone} />
      ) : null}
      {one.state === 'partly_undone' && one.run?.left_to_undo !== 0 ? (
        <Button size="xs" variant="default" style={{ alignSelf: 'flex-start' }} onClick={() => void askUndo()}>
          {result.undo}
        </Button>
      ) : null}
      {one.state === 'failed' || one.state === 'interrupted' || one.state === 'cancelled' ? (
        <Alert color="orange" role="alert">
          <Text>
            {one.state === 'failed'
              ? say(result.failed, { reason: one.run?.message ?? one.run?.error ?? texts.states.failed })
              : result[one.state]}
          </Text>
          <Group mt="sm">
            <Button
              size="xs"
              variant="default"
              disabled={account === null || (hasPersons && person === null)}
              onClick={() => start(false)}
            >
              {result.again}
            </Button>
            <Button size="xs" variant="default" onClick={() => void askUndo()}>
              {result.undo}
            </Button>
          </Group>
        </Alert>
      ) : null}
    </Stack>
  )
}

// Setup guide: choose what to sync.
import { Button, Checkbox, Group, Radio, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconArrowLeft, IconArrowRight, IconPlugConnected } from '@tabler/icons-react'
import { useState, type FormEvent } from 'react'
import { api, type Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { acrossPersons } from '../../parts/persons/persons.ts'
import { start } from '../../texts/en/start.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { accountsOf, canExchange, type Account, type Mode } from './accounts.ts'
import { startPlan } from './use-run.ts'
import type { GoTo, Place } from './steps.ts'

type Features = Answer<'GET /api/sync/features'>['features']
type Pair = Answer<'GET /api/pairs'>[number]

const { choose: texts } = start

export function ChooseStep({ place, goTo }: { readonly place: Place; readonly goTo: GoTo }) {
  const services = useRead(['pairs', 'providers'], 'GET /api/sync/providers')
  const manifests = useRead(['connections', 'manifests'], 'GET /api/auth/providers', undefined, { staleTime: 60_000 })
  const builtIn = new Set(
    (manifests.data ?? [])
      .filter(({ sign_in: ways }) => ways.every(({ kind }) => kind === 'none'))
      .map(({ name }) => name),
  )
  const features = useRead(['pairs', 'features'], 'GET /api/sync/features', undefined, { staleTime: 300_000 })
  const pairs = useRead(['pairs'], 'GET /api/pairs', undefined, { enabled: place.pairId !== null })
  return (
    <>
      <Text c="dimmed">{texts.text}</Text>
      <QueryView query={services} rows={5}>
        {(list) =>
          manifests.data === undefined && !manifests.isError ? (
            <Loading rows={5} />
          ) : accountsOf(list, builtIn).length < 2 ? (
            <EmptyState
              icon={IconPlugConnected}
              title={texts.needTwo}
              text={start.connect.text}
              action={<Button onClick={() => goTo({ step: 'connect' })}>{start.connect.title}</Button>}
            />
          ) : (
            <QueryView query={features} rows={5}>
              {(known) =>
                place.pairId !== null && pairs.data === undefined && !pairs.isError ? null : (
                  <ChooseForm
                    accounts={accountsOf(list, builtIn)}
                    features={known.features}
                    pair={pairs.data?.find(({ id }) => id === place.pairId)}
                    goTo={goTo}
                  />
                )
              }
            </QueryView>
          )
        }
      </QueryView>
    </>
  )
}

interface ChooseFormProps {
  readonly accounts: readonly Account[]
  readonly features: Features
  /** Set when the user comes back to change the pair. */
  readonly pair: Pair | undefined
  readonly goTo: GoTo
}

function ChooseForm({ accounts, features, pair, goTo }: ChooseFormProps) {
  const client = useQueryClient()
  const [source, setSource] = useState(pair === undefined ? accounts[0]?.key : `${pair.source} ${pair.source_instance}`)
  const [target, setTarget] = useState(pair === undefined ? accounts[1]?.key : `${pair.target} ${pair.target_instance}`)
  const [mode, setMode] = useState<Mode>(pair?.mode ?? 'two_way')
  const [chosen, setChosen] = useState<readonly string[] | null>(
    pair === undefined
      ? null
      : Object.entries(pair.features)
          .filter(([, options]) => (options as { enabled?: boolean }).enabled === true)
          .map(([name]) => name),
  )
  const [remove, setRemove] = useState(
    pair === undefined
      ? false
      : Object.values(pair.features).some((options) => (options as { remove?: boolean }).remove === true),
  )
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)

  const [a, b] = [accounts.find(({ key }) => key === source), accounts.find(({ key }) => key === target)]
  const isSame = source === target
  const possible = features
    .map(({ feature }) => feature)
    .filter((feature) => a !== undefined && b !== undefined && canExchange(feature, a, b, mode))
  const selected = (chosen ?? possible).filter((feature) => possible.includes(feature as (typeof possible)[number]))
  const options = accounts.map(({ key, name }) => ({ value: key, label: name }))

  async function onSubmit(event: FormEvent) {
    event.preventDefault()
    if (a === undefined || b === undefined) return
    setBusy(true)
    setError(null)
    const body = {
      name: say(texts.name, { source: a.name, target: b.name }),
      source: a.provider,
      source_instance: a.instance,
      target: b.provider,
      target_instance: b.instance,
      mode,
      enabled: true,
      features: Object.fromEntries(
        features.map(({ feature }) => [feature, { enabled: selected.includes(feature), add: true, remove }]),
      ),
    }
    try {
      const saved = await acrossPersons((confirmed) =>
        pair === undefined
          ? api('POST /api/pairs', { body: { ...body, ...confirmed } })
          : api('PUT /api/pairs/{pair_id}', { params: { pair_id: pair.id }, body: { ...body, ...confirmed } }),
      )
      if (saved === undefined) return setBusy(false)
      void client.invalidateQueries({ queryKey: ['pairs'] })
      goTo({ step: 'plan', pairId: saved.id, planRun: await startPlan(saved.id), runId: null })
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={texts.source}
            data={options}
            value={source ?? null}
            onChange={(value) => setSource(value ?? undefined)}
            allowDeselect={false}
          />
          <Select
            label={texts.target}
            data={options}
            value={target ?? null}
            onChange={(value) => setTarget(value ?? undefined)}
            allowDeselect={false}
            error={isSame ? texts.same : null}
          />
        </SimpleGrid>
        <Radio.Group label={texts.direction} value={mode} onChange={(value) => setMode(value as Mode)}>
          <Stack gap="xs" mt="xs">
            <Radio value="two_way" label={texts.twoWay} description={texts.twoWayText} />
            <Radio
              value="one_way"
              label={say(texts.oneWay, { source: a?.name ?? texts.source, target: b?.name ?? texts.target })}
              description={texts.oneWayText}
            />
          </Stack>
        </Radio.Group>
        <Checkbox.Group
          label={texts.features}
          value={[...selected]}
          onChange={setChosen}
          error={selected.length === 0 && !isSame ? texts.needOne : null}
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }} my="xs" spacing="md">
            {features.map(({ feature, label, help }) => {
              const can = possible.includes(feature)
              return (
                <Checkbox
                  key={feature}
                  value={feature}
                  label={serviceText(label)}
                  description={can || isSame ? serviceText(help) : texts.impossible}
                  disabled={!can}
                />
              )
            })}
          </SimpleGrid>
        </Checkbox.Group>
        <Switch
          label={texts.remove}
          description={texts.removeText}
          checked={remove}
          onChange={(event) => setRemove(event.currentTarget.checked)}
        />
        {error === null ? null : <Failure error={error} />}
        <Group justify="space-between" className="wizard-bar">
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            onClick={() => goTo({ step: 'connect' })}
          >
            {start.back}
          </Button>
          <Button
            type="submit"
            rightSection={<IconArrowRight size={16} aria-hidden />}
            loading={isBusy}
            disabled={isSame || selected.length === 0}
          >
            {texts.go}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

// The form of a pair: accounts, direction, features, name.
import { Alert, Button, Group, Paper, Stack, Switch, TextInput, Title } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { ApiError } from '../../../api/error.ts'
import { useRead } from '../../../api/query.ts'
import { EmptyState } from '../../../parts/page/empty-state.tsx'
import { Failure } from '../../../parts/page/failure.tsx'
import { useSideNames } from '../../../parts/values/names.ts'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { namesText, ownersIn, usePersons } from '../../../parts/persons/persons.ts'
import { pairForm as texts, pairs as pairTexts } from '../../../texts/en/pairs.ts'
import { persons } from '../../../texts/en/persons.ts'
import { say } from '../../../texts/say.ts'
import { serviceText } from '../../../texts/service-text.ts'
import { isSameAccount, type Draft, type FeatureInfo, type Provider } from './draft.ts'
import { FeatureList } from './feature-list.tsx'
import { SidesFields } from './sides-fields.tsx'
import { refusalOf, type Ends } from './support.ts'

interface PairFormProps {
  readonly draft: Draft
  readonly onDraft: (change: (now: Draft) => Draft) => void
  readonly submitText: string
  readonly isBusy: boolean
  readonly error: ApiError | null
  readonly onSubmit: () => void
}

export function PairForm(props: PairFormProps) {
  const providers = useRead(['pairs', 'providers'], 'GET /api/sync/providers')
  const features = useRead(['pairs', 'features'], 'GET /api/sync/features', undefined, { staleTime: 300_000 })
  return (
    <QueryView query={providers} rows={6} isEmpty={(list) => accountsIn(list) < 2} empty={<FewSides />}>
      {(list) => (
        <QueryView query={features} rows={6}>
          {({ features: known }) => <Fields {...props} providers={list} features={known} />}
        </QueryView>
      )}
    </QueryView>
  )
}

function accountsIn(providers: readonly Provider[]): number {
  return providers.reduce((sum, { instances }) => sum + instances.filter(({ configured }) => configured).length, 0)
}

function FewSides() {
  return (
    <EmptyState
      icon={IconPlugConnected}
      title={pairTexts.fewServices}
      text={pairTexts.fewServicesText}
      action={
        <Button component={Link} href="/connections">
          {pairTexts.connect}
        </Button>
      }
    />
  )
}

function Fields({
  draft,
  onDraft,
  submitText,
  isBusy,
  error,
  onSubmit,
  providers,
  features,
}: PairFormProps & { readonly providers: readonly Provider[]; readonly features: readonly FeatureInfo[] }) {
  const [isAsked, setAsked] = useState(false)
  const nameOf = useSideNames()
  const change = (part: Partial<Draft>) => onDraft((now) => ({ ...now, ...part }))
  const ends = endsOf(draft, providers, nameOf)
  const refusal = isSameAccount(draft.a, draft.b) ? texts.same : ends === null ? null : refusalOf(ends)
  const hasFeature = Object.values(draft.features).some((one) => one['enabled'] === true)
  const owners = ownersIn(
    usePersons().data?.persons ?? [],
    [draft.a, draft.b].filter((one) => one !== null),
  ).map(({ name }) => name)
  const isReady = ends !== null && refusal === null && hasFeature

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        setAsked(true)
        if (isReady) onSubmit()
      }}
    >
      <Stack gap="lg">
        <Section title={texts.sections.services}>
          <SidesFields draft={draft} providers={providers} onChange={change} />
          {refusal === null ? null : (
            <Alert color="orange" role="alert">
              {refusal}
            </Alert>
          )}
          {owners.length < 2 ? null : (
            <Alert color="orange" role="alert">
              {say(persons.crosses, { names: namesText(owners) })}
            </Alert>
          )}
          {termsOf(ends).map((text) => (
            <Alert key={text} color="gray" title={texts.terms}>
              {serviceText(text)}
            </Alert>
          ))}
        </Section>
        <Section title={texts.sections.features}>
          {ends === null || refusal !== null ? (
            <Alert color="gray">{texts.chooseFirst}</Alert>
          ) : (
            <FeatureList ends={ends} draft={draft} features={features} onChange={change} />
          )}
          {isAsked && ends !== null && !hasFeature ? (
            <Alert color="orange" role="alert">
              {texts.features.atLeastOne}
            </Alert>
          ) : null}
        </Section>
        <Section title={texts.sections.pair}>
          <TextInput
            label={texts.name}
            description={texts.nameHelp}
            maxLength={200}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={error?.fields['name']}
            maw={420}
          />
          <Switch
            label={texts.enabled}
            description={texts.enabledHelp}
            checked={draft.enabled}
            onChange={(event) => change({ enabled: event.currentTarget.checked })}
          />
        </Section>
        {error === null ? null : <Failure error={error} text={errorText(error)} />}
        <Group justify="flex-end">
          <Button variant="default" component={Link} href="/pairs">
            {texts.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={ends === null || refusal !== null}>
            {submitText}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="md">
        {title}
      </Title>
      <Stack>{children}</Stack>
    </Paper>
  )
}

function endsOf(
  { a, b, mode }: Draft,
  providers: readonly Provider[],
  nameOf: (provider: string, instance?: string) => string,
): Ends | null {
  const [first, second] = [a, b].map((side) => providers.find(({ name }) => name === side?.provider))
  if (a === null || b === null || first === undefined || second === undefined) return null
  return { a: first, b: second, mode, nameOfA: nameOf(a.provider, a.instance), nameOfB: nameOf(b.provider, b.instance) }
}

/** Terms of a service that restrict a pair with another tracker or list service. */
function termsOf(ends: Ends | null): readonly string[] {
  if (ends === null || !ends.a.list_service || !ends.b.list_service || ends.a.name === ends.b.name) return []
  return [ends.a.terms.pairs, ends.b.terms.pairs].filter((text) => text !== null)
}

function errorText(error: ApiError): string {
  const fields = Object.values(error.fields)
  return fields.length === 0 ? error.message : fields.join(' ')
}

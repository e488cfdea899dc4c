// All services: connected ones with their status first, then the others.
import { Button, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconRefresh, IconSearch } from '@tabler/icons-react'
import { foldText } from '../../../sdk/items/text.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { useManifests, type Manifest } from '../../parts/sign-in/manifests.ts'
import { connections as texts } from '../../texts/en/connections.ts'
import { ConnectedCard, OtherCard } from './card.tsx'
import { Persons } from './persons.tsx'
import { SignInDialog, type SignInTarget } from './sign-in-dialog.tsx'
import { useSignInTarget } from './unfinished.ts'
import { useCheckNow, useConnections, type Connection } from './use-connections.ts'

const COLUMNS = { base: 1, sm: 2, lg: 3 }
const FILTER_FROM = 7
const NO_FILTERS = { text: '' }

export function ConnectionList() {
  const manifests = useManifests()
  const state = useConnections()
  const [isChecking, check] = useCheckNow()
  const signIn = useSignInTarget()

  return (
    <Page
      title={texts.title}
      text={texts.intro}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={isChecking}
          onClick={() => void check()}
        >
          {texts.check}
        </Button>
      }
    >
      <QueryView query={manifests}>
        {(all) => (
          <QueryView query={state}>
            {({ connections }) => <Cards manifests={all} connections={connections} onSignIn={signIn.open} />}
          </QueryView>
        )}
      </QueryView>
      <SignInDialog target={signIn.target} onClose={signIn.close} onDone={signIn.finish} />
    </Page>
  )
}

interface CardsProps {
  readonly manifests: readonly Manifest[]
  readonly connections: readonly Connection[]
  readonly onSignIn: (target: SignInTarget) => void
}

function Cards({ manifests, connections, onSignIn }: CardsProps) {
  const [{ text: filter }, setFilters] = useAddressFilters(NO_FILTERS)
  const byProvider = new Map(connections.map((one) => [one.provider, one]))
  const rows = manifests
    .map((manifest) => ({ manifest, profiles: byProvider.get(manifest.name)?.profiles ?? [] }))
    .sort((a, b) => a.manifest.label.localeCompare(b.manifest.label))
  const connected = rows.filter(({ profiles }) => profiles.some(({ configured }) => configured))
  const others = rows.filter((row) => !connected.includes(row))
  const word = foldText(filter).trim()
  const shown = others.filter(({ manifest: { label, description } }) =>
    foldText(`${label} ${description ?? ''}`).includes(word),
  )
  const hasAccount = connected.some(({ manifest }) => manifest.disconnect !== null)

  return (
    <Stack gap="xl">
      {connected.length === 0 ? null : (
        <section aria-labelledby="connected">
          <Title order={2} size="h4" mb="sm" id="connected">
            {texts.connected}
          </Title>
          <SimpleGrid cols={COLUMNS}>
            {connected.map((row) => (
              <ConnectedCard key={row.manifest.name} {...row} onSignIn={onSignIn} />
            ))}
          </SimpleGrid>
        </section>
      )}
      <Persons />
      {others.length === 0 ? null : (
        <section aria-labelledby="others">
          <Title order={2} size="h4" mb="sm" id="others">
            {hasAccount ? texts.more : texts.first}
          </Title>
          {others.length < FILTER_FROM ? null : (
            <TextInput
              type="search"
              aria-label={texts.filter}
              placeholder={texts.filter}
              leftSection={<IconSearch size={16} aria-hidden />}
              value={filter}
              onChange={(event) => setFilters({ text: event.currentTarget.value })}
              mb="sm"
              maw={360}
            />
          )}
          {shown.length === 0 ? (
            <Text c="dimmed" role="status">
              {texts.nothingFound}
            </Text>
          ) : null}
          <SimpleGrid cols={COLUMNS}>
            {shown.map(({ manifest }) => (
              <OtherCard key={manifest.name} manifest={manifest} onSignIn={onSignIn} />
            ))}
          </SimpleGrid>
        </section>
      )}
    </Stack>
  )
}

// The directory of plugins: what can be added, with one button each.
import { Anchor, Button, Group, Paper, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconPuzzle, IconPuzzleOff, IconRefresh, IconSearch } from '@tabler/icons-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { foldText } from '../../../../sdk/items/text.ts'
import { useChange, useRead } from '../../../api/query.ts'
import { notifyDone, notifyFailure } from '../../../parts/dialogs/notify.ts'
import { useAddressFilters } from '../../../parts/lists/address-filters.ts'
import { ChoiceChips } from '../../../parts/lists/choice-chips.tsx'
import { EmptyState } from '../../../parts/page/empty-state.tsx'
import { Page } from '../../../parts/page/page.tsx'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { Mark } from '../../../parts/values/service-mark.tsx'
import { directory as texts } from '../../../texts/en/directory.ts'
import { shell } from '../../../texts/en/shell.ts'
import { say } from '../../../texts/say.ts'
import { serviceText } from '../../../texts/service-text.ts'
import { kindText } from '../state.tsx'
import { LevelBadge, ListingBadge } from './badges.tsx'
import { DIRECTORY, type Listing, listingHref } from './data.ts'
import { MainButton } from './main-button.tsx'
import { Notices, SETTINGS } from './notices.tsx'

type Shown = keyof typeof texts.shown

const INSTALLED: readonly Listing['state'][] = ['withdrawn', 'update', 'installed']
const FITS: Readonly<Record<Shown, (listing: Listing) => boolean>> = {
  all: () => true,
  available: ({ state }) => !INSTALLED.includes(state) && state !== 'built_in',
  installed: ({ state }) => INSTALLED.includes(state),
  builtIn: ({ state }) => state === 'built_in',
}
/** Plugins that need a person come first, those that are there already last. */
const ORDER: readonly Listing['state'][] = [
  'withdrawn',
  'update',
  'available',
  'unlisted',
  'installed',
  'unsupported',
  'built_in',
]

interface Filters {
  readonly text: string
  readonly shown: Shown
  readonly kind: string
}

const NO_FILTERS: Filters = { text: '', shown: 'all', kind: '' }
const KNOWN = { shown: Object.keys(texts.shown) }

export function DirectoryPage() {
  const query = useRead(DIRECTORY, 'GET /api/directory')
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const { text, shown, kind } = filters
  const look = useChange('POST /api/directory/refresh', {
    refresh: [DIRECTORY],
    onDone: ({ state, look: { error } }) => {
      if (state === 'failed')
        notifyFailure(new Error(say(texts.failed, { message: serviceText(error?.message ?? '') })))
      else notifyDone(state === 'newer' ? texts.newer : texts.same)
    },
  })
  const all = query.data?.plugins
  const kinds = useMemo(
    () =>
      [...new Set((all ?? []).map((listing) => listing.kind))]
        .map((value) => ({ value, label: kindText(value) }))
        .sort((a, b) => a.label.localeCompare(b.label)),
    [all],
  )
  const rows = useMemo(() => {
    const wanted = foldText(text).trim()
    return (all ?? [])
      .filter(
        (listing) =>
          FITS[shown](listing) &&
          (kind === '' || listing.kind === kind) &&
          foldText(`${listing.name} ${listing.id} ${serviceText(listing.description)}`).includes(wanted),
      )
      .toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || a.name.localeCompare(b.name))
  }, [all, text, shown, kind])

  return (
    <Page
      title={texts.title}
      text={texts.intro}
      breadcrumbs={[{ title: shell.pages.plugins, href: '/plugins' }]}
      actions={
        query.data === undefined || query.data.look.host === null ? undefined : (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={look.isPending}
            onClick={() => look.mutate({ body: {} }, { onError: (error) => notifyFailure(error) })}
          >
            {texts.look}
          </Button>
        )
      }
    >
      <QueryView
        query={query}
        rows={6}
        isEmpty={({ plugins, look: { error } }) => plugins.length === 0 && error === null}
        empty={
          <EmptyState
            icon={IconPuzzleOff}
            title={texts.none}
            text={texts.noneText}
            action={
              <Button component={Link} href={SETTINGS} variant="default">
                {texts.settings}
              </Button>
            }
          />
        }
      >
        {({ catalogue, look: state }) => (
          <Stack>
            <Notices catalogue={catalogue} look={state} />
            <Group gap="sm">
              <TextInput
                type="search"
                aria-label={texts.search}
                placeholder={texts.search}
                leftSection={<IconSearch size={16} aria-hidden />}
                value={text}
                onChange={(event) => setFilters({ ...filters, text: event.currentTarget.value })}
                style={{ flex: '1 1 14rem', maxWidth: '24rem' }}
              />
              <Select
                aria-label={texts.kind}
                placeholder={texts.allKinds}
                clearable
                data={kinds}
                value={kind === '' ? null : kind}
                onChange={(value) => setFilters({ ...filters, kind: value ?? '' })}
                w="11rem"
              />
              <ChoiceChips
                label={texts.show}
                options={(Object.keys(texts.shown) as Shown[]).map((value) => ({ value, label: texts.shown[value] }))}
                value={shown}
                onChange={(value) => setFilters({ ...filters, shown: value })}
              />
            </Group>
            {rows.length === 0 ? (
              <EmptyState
                icon={IconPuzzle}
                title={texts.noMatch}
                text={texts.noMatchText}
                action={
                  <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
                    {texts.clear}
                  </Button>
                }
              />
            ) : (
              <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} role="group" aria-label={texts.label}>
                {rows.map((listing) => (
                  <Card key={listing.id} listing={listing} />
                ))}
              </SimpleGrid>
            )}
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}

function Card({ listing }: { readonly listing: Listing }) {
  const { id, name, description, kind, mark, version, newest, withdrawn } = listing
  const shownVersion = version ?? newest?.version
  return (
    <Paper component="article" withBorder p="md" aria-label={name}>
      <Stack gap="xs" h="100%">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Mark mark={mark} name={name} size={36} />
          <div style={{ minWidth: 0, flex: 1 }}>
            <Anchor component={Link} href={listingHref(id)} fw={600} c="inherit" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Anchor>
            <Text size="sm" c="dimmed">
              {shownVersion === undefined
                ? kindText(kind)
                : say(texts.by, { kind: kindText(kind), version: shownVersion })}
            </Text>
          </div>
        </Group>
        <Text size="sm" lineClamp={3}>
          {serviceText(description)}
        </Text>
        {withdrawn === null ? null : (
          <Text size="sm" fw={600} lineClamp={3}>
            {withdrawn.why}
          </Text>
        )}
        <Group gap="2xs">
          <ListingBadge state={listing.state} />
          <LevelBadge level={newest?.level ?? null} />
        </Group>
        <Group gap="xs" justify="space-between" mt="auto">
          <Text size="sm" c="dimmed">
            {newest?.conformance == null
              ? ''
              : say(texts.points, { points: newest.conformance.points, possible: newest.conformance.possible })}
          </Text>
          <MainButton listing={listing} size="xs" />
        </Group>
      </Stack>
    </Paper>
  )
}

// A settings section, by profile if it has profiles.
import { profileName } from '../../parts/values/names.ts'
import { Paper, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../api/query.ts'
import { Loading } from '../../parts/page/loading.tsx'
import { settings } from '../../texts/en/settings.ts'
import type { Section } from './places.ts'
import { SectionForm } from '../../parts/settings/section-form.tsx'

export default function SectionPage({ section }: { readonly section: Section }) {
  return section.has_instances ? (
    <WithProfiles section={section} />
  ) : (
    <Paper withBorder p="md">
      <SectionForm path={section.path} />
    </Paper>
  )
}

function WithProfiles({ section: { path } }: { readonly section: Section }) {
  const providers = useRead(['connections', 'providers'], 'GET /api/auth/providers', undefined, { staleTime: 60_000 })
  const provider = providers.data?.find((one) => one.section === path)?.name ?? ''
  const { data, error } = useRead(
    ['connections', 'profiles', provider],
    'GET /api/provider-instances/{provider}',
    { params: { provider } },
    { enabled: provider !== '' },
  )
  const profiles = data ?? []
  const isPending = provider === '' ? providers.isPending : data === undefined && error === null
  const [instance, setInstance] = useState('default')
  return (
    <Stack>
      {isPending ? <Loading rows={4} /> : null}
      {profiles.length < 2 ? null : (
        <Select
          label={settings.form.profile}
          maw={320}
          value={instance}
          allowDeselect={false}
          onChange={(chosen) => setInstance(chosen ?? 'default')}
          data={profiles.map((profile) => ({ value: profile.id, label: profileName(profile) }))}
        />
      )}
      <Paper withBorder p="md">
        <SectionForm key={instance} path={path} instance={instance} />
      </Paper>
    </Stack>
  )
}

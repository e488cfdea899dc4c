// Dialogs of a profile: create, rename, settings.
import { profileName } from '../../parts/values/names.ts'
import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange, useRead } from '../../api/query.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { SchemaForm } from '../../parts/schema-form/index.tsx'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import type { Profile } from './use-connections.ts'

const texts = connections.profile
const MAX_NAME = 40
const NOTHING = 'nothing'

/** Show an error instead of truncating the name. */
const isTooLong = (name: string) => [...name.trim()].length > MAX_NAME

interface DialogProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function AddProfile({
  provider,
  profiles,
  opened,
  onClose,
  onAdded,
}: DialogProps & {
  readonly provider: string
  readonly profiles: readonly Profile[]
  readonly onAdded: (instance: string) => void
}) {
  const [name, setName] = useState('')
  const [source, setSource] = useState<string | null>(NOTHING)
  const add = useChange('POST /api/provider-instances/{provider}/next', {
    refresh: [['connections']],
    onDone: ({ id, profile }) => {
      notifyDone(say(texts.created, { name: profileName(profile) }))
      setName('')
      onClose()
      onAdded(id)
    },
  })
  return (
    <Modal opened={opened} onClose={onClose} title={texts.add}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isTooLong(name)) return
          const copied = source === null || source === NOTHING ? {} : { copy_from: source }
          add.mutate({ params: { provider }, body: { label: name.trim(), ...copied } })
        }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            {texts.addText}
          </Text>
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            error={isTooLong(name) ? say(texts.tooLong, { n: MAX_NAME }) : null}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <Select
            label={texts.copy}
            value={source}
            onChange={setSource}
            allowDeselect={false}
            data={[
              { value: NOTHING, label: texts.copyNothing },
              ...profiles
                .filter(({ id }) => id !== 'default')
                .map((one) => ({ value: one.id, label: say(texts.copyOf, { name: profileName(one) }) })),
            ]}
          />
          {add.error === null ? null : <Failure error={add.error} />}
          <Buttons text={texts.create} isBusy={add.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  )
}

export function RenameProfile({
  provider,
  profile,
  opened,
  onClose,
}: DialogProps & { readonly provider: string; readonly profile: Profile }) {
  const [name, setName] = useState(profile.label)
  const rename = useChange('PUT /api/connections/{provider}/{instance}/label', {
    refresh: [['connections'], ['pairs', 'providers']],
    onDone: ({ label }) => {
      notifyDone(say(texts.renamed, { name: label || profile.id }))
      onClose()
    },
  })
  return (
    <Modal opened={opened} onClose={onClose} title={say(texts.renameTitle, { name: profileName(profile) })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isTooLong(name)) return
          rename.mutate({ params: { provider, instance: profile.id }, body: { label: name.trim() } })
        }}
      >
        <Stack>
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            error={isTooLong(name) ? say(texts.tooLong, { n: MAX_NAME }) : null}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          {rename.error === null ? null : <Failure error={rename.error} />}
          <Buttons text={texts.save} isBusy={rename.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  )
}

export function ProfileSettings({
  label,
  section,
  profile,
  opened,
  onClose,
}: DialogProps & { readonly label: string; readonly section: string; readonly profile: Profile }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={say(texts.settingsTitle, { label, name: profileName(profile) })}
      size="xl"
    >
      {opened ? <SettingsForm section={section} profile={profile} onSaved={onClose} /> : null}
    </Modal>
  )
}

function SettingsForm({
  section,
  profile,
  onSaved,
}: {
  readonly section: string
  readonly profile: Profile
  readonly onSaved: () => void
}) {
  const client = useQueryClient()
  const input = { params: { path: section }, query: { instance: profile.id } }
  const query = useRead(['connections', 'section', section, profile.id], 'GET /api/config/sections/{path}', input)
  const [values, setValues] = useState<unknown>(null)
  const save = useChange('PUT /api/config/sections/{path}', {
    onDone: () => {
      notifyDone(say(texts.settingsSaved, { name: profileName(profile) }))
      void client.invalidateQueries({ queryKey: ['connections'] })
      onSaved()
    },
  })
  return (
    <QueryView query={query}>
      {({ schema, values: stored, revision }) => (
        <Stack>
          {save.error === null ? null : <Failure error={save.error} />}
          <SchemaForm
            schema={schema}
            value={values ?? stored}
            onChange={setValues}
            isBusy={save.isPending}
            error={save.error}
            onSubmit={(value) =>
              save.mutate({ ...input, body: { values: value as Record<string, unknown>, revision } })
            }
          />
        </Stack>
      )}
    </QueryView>
  )
}

function Buttons({
  text,
  isBusy,
  onClose,
}: {
  readonly text: string
  readonly isBusy: boolean
  readonly onClose: () => void
}) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {texts.cancel}
      </Button>
      <Button type="submit" loading={isBusy}>
        {text}
      </Button>
    </Group>
  )
}

// Fields that most people leave as they are follow the others, folded.
import { Text } from '@mantine/core'
import { Theme } from '@rjsf/mantine'
import type { ObjectFieldTemplateProps, RJSFSchema } from '@rjsf/utils'
import type { ComponentType } from 'react'
import { parts } from '../../texts/en/parts.ts'

type Props = ObjectFieldTemplateProps<unknown, RJSFSchema>
const Plain = (Theme.templates as { readonly ObjectFieldTemplate: ComponentType<Props> }).ObjectFieldTemplate

/**
 * Fields marked as advanced, and the tuning that profiles inherit from the default profile. A text is not tuning, except the id
 * of an application; addresses have working defaults.
 */
function advancedOf({ properties = {} }: RJSFSchema): ReadonlySet<string> {
  const fields = Object.entries(properties).filter(
    (entry): entry is [string, RJSFSchema] => typeof entry[1] === 'object',
  )
  const hasProfiles = fields.some(([, { inherit }]) => inherit === true)
  const isAddress = ({ default: value }: RJSFSchema) => String(value ?? '').startsWith('http')
  const isTuning = (field: RJSFSchema) => (field.type === 'string' ? isAddress(field) : field['inherit'] === true)
  const chosen = fields.filter(([, field]) => field['advanced'] === true || (hasProfiles && isTuning(field)))
  return new Set(chosen.map(([name]) => name))
}

function ObjectFieldTemplate(props: Props) {
  const { properties, schema, errorSchema } = props
  const names = advancedOf(schema)
  const first = properties.filter(({ name }) => !names.has(name))
  const rest = properties.filter(({ name, hidden }) => !hidden && names.has(name))
  if (rest.length === 0 || first.every(({ hidden }) => hidden)) return <Plain {...props} />
  return (
    <>
      <Plain {...props} properties={first} />
      <details className="more-fields" open={rest.some(({ name }) => errorSchema?.[name as never] !== undefined)}>
        <summary>
          <Text span fw={500}>
            {parts.form.advanced}
          </Text>
        </summary>
        <Plain
          {...props}
          title=""
          description=""
          schema={{ ...schema, additionalProperties: false }}
          fieldPathId={{ ...props.fieldPathId, $id: `${props.fieldPathId.$id}__advanced` }}
          properties={rest}
        />
      </details>
    </>
  )
}

export const templates = { ObjectFieldTemplate }

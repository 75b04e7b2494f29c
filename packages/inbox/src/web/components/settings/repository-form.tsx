import { ErrorSummary, Field, type FormState } from '@hull/shell/client'
import { FieldForm, SubmitButton } from '../shared/controls.tsx'
import { REPOSITORY_HOSTS, type Repository } from '../../repository.ts'
import { Choice } from './choice.tsx'

interface RepositoryFormProps {
  /** Stored repository. */
  repository: Repository | undefined
  /** Refused repository, and the reason. */
  form: FormState | undefined
  /** Whether the project is that of the application itself. */
  isOwn: boolean
}

/** Form that posts `host`, `url` and `folder`, with the intent `repository`. */
export function RepositoryForm({ repository, form, isOwn }: RepositoryFormProps) {
  const refused = form?.errors.url ? form : undefined
  const shown = refused ?? { errors: {}, values: { url: repository?.url ?? '', folder: repository?.folder ?? '' } }
  return (
    <>
      <p className="lead">
        Frames of errors link to their line, and issues to a new issue there. The links need the commit of the release:{' '}
        {isOwn && (
          <>
            set <code>RELEASE_COMMIT</code>, or{' '}
          </>
        )}
        end the name of the release with the commit, such as <code>1.4.2+3f9c2ab</code>.
      </p>
      <ErrorSummary form={refused} title="Your change was not applied" />
      <FieldForm data-keep-scroll submit={<SubmitButton intent="repository" label="Save repository" />}>
        <div className="field">
          <Choice
            name="host"
            label="Kind"
            options={Object.entries(REPOSITORY_HOSTS).map(([name, { label }]) => [name, label])}
            value={refused?.values.host ?? repository?.host}
          />
        </div>
        <Field
          name="url"
          label="Address"
          hint="Address of its front page. Leave it empty for no links."
          form={shown}
          type="url"
          placeholder="https://github.com/acme/shop"
          autoComplete="off"
          maxLength={500}
        />
        <Field
          name="folder"
          label="Folder"
          hint="Folder of the project in the repository, if the paths of frames begin there. Leave it empty for the root."
          form={shown}
          placeholder="packages/web"
          autoComplete="off"
          maxLength={200}
        />
      </FieldForm>
    </>
  )
}

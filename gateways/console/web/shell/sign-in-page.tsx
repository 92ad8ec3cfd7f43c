/** The sign-in: a name and a password, or the code of the one-time link that the first start prints. */
import { signIn } from "../service/session.ts"
import { useAttempt } from "../state/use-attempt.ts"

export const SignInPage = ({ reason }: { readonly reason: string | null }) => {
  const { fault, isBusy, run } = useAttempt()
  const submit = (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    return run(() => signIn({ username: String(fields.get("username")), password: String(fields.get("password")) }))
  }
  const message = fault ?? reason
  return (
    <main class="sign-in">
      <h1>wavepose</h1>
      <form onSubmit={(event) => void submit(event)}>
        {message !== null && <p class="fault" role="alert">{message}</p>}
        <label>
          Name
          <input name="username" autocomplete="username" required autofocus defaultValue="admin" />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit" disabled={isBusy}>Sign in</button>
        <p class="reason">
          The first start prints the password of <code>admin</code>. <code>npx wavepose user reset-password admin</code>
          {" "}
          sets a new one.
        </p>
      </form>
    </main>
  )
}

/** A new password: it can be pasted, shown, and says how strong it looks. */
import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { IconButton, TextField, type TextFieldProps } from "../ui/controls.tsx";
import { describeStrength, STRENGTHS } from "./describe-strength.ts";
import { t } from "./words.ts";

export function NewPasswordField(props: TextFieldProps) {
  const { value, hint = t.n10CharactersOrMore, minLength = 10, ...rest } = props;
  const [isShown, setShown] = useState(false);
  return (
    <div className="row password">
      <TextField
        {...rest}
        value={value}
        hint={
          <span aria-live="polite">
            {value === "" ? hint : STRENGTHS[describeStrength(value, minLength)]}
          </span>
        }
        type={isShown ? "text" : "password"}
        name="password"
        autoComplete="new-password"
        minLength={minLength}
      />
      <IconButton
        isLarge
        icon={isShown ? EyeOff : Eye}
        label={isShown ? t.hidePassword : t.showPassword}
        onClick={() => setShown(!isShown)}
      />
    </div>
  );
}

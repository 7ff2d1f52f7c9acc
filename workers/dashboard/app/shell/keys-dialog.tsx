/** What can be done by single keys. */
import { Modal } from "../ui/modal.tsx";
import { KEYS, t } from "./words.ts";

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal title={t.keyboardShortcuts} onClose={onClose}>
      <table className="plain-table">
        <tbody>
          {KEYS.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Modal>
  );
}

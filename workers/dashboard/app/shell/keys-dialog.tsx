/** What can be done by single keys. */
import { Modal } from "../ui/modal.tsx";

const KEYS = [
  ["?", "Show this list"],
  ["Ctrl or ⌘ with K", "Find pages, links and actions"],
  ["/", "Search links"],
  ["n", "New link"],
  ["j, k or arrows", "Move through the links"],
  ["x or Space", "Select a link; with Shift a range"],
  ["Enter or e", "Edit it"],
  ["a", "Open its analytics"],
  ["c", "Copy its address"],
  ["m", "Open its menu"],
  ["Ctrl or ⌘ with Enter", "Save a form"],
  ["Esc", "Close a dialog"],
] as const;

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal title="Keyboard shortcuts" onClose={onClose}>
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

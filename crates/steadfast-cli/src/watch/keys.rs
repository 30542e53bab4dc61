//! Keyboard input during `--watch`.

use crossterm::event::{Event, EventStream, KeyCode, KeyEventKind, KeyModifiers};
use futures_util::StreamExt;

/// The action of a key or of a window change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyAction {
    Quit,
    Redraw,
}

/// Waits for the next action. Without a terminal any more, that is to quit.
pub(super) async fn next(events: &mut EventStream) -> KeyAction {
    loop {
        let Some(Ok(event)) = events.next().await else {
            return KeyAction::Quit;
        };
        if let Some(action) = action_of(&event) {
            return action;
        }
    }
}

fn action_of(event: &Event) -> Option<KeyAction> {
    let key = match event {
        Event::Resize(..) => return Some(KeyAction::Redraw),
        Event::Key(key) if key.kind != KeyEventKind::Release => key,
        _ => return None,
    };
    let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Some(KeyAction::Quit),
        KeyCode::Char('c' | 'd') if with_control => Some(KeyAction::Quit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    #[test]
    fn only_quit_keys_have_an_action() {
        let typed = |code, modifiers| action_of(&Event::Key(KeyEvent::new(code, modifiers)));
        assert_eq!(typed(KeyCode::Char('q'), KeyModifiers::NONE), Some(KeyAction::Quit));
        assert_eq!(typed(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(KeyAction::Quit));
        assert_eq!(typed(KeyCode::Char('c'), KeyModifiers::NONE), None);
        assert_eq!(typed(KeyCode::Enter, KeyModifiers::NONE), None);
        assert_eq!(action_of(&Event::Resize(80, 24)), Some(KeyAction::Redraw));
    }
}

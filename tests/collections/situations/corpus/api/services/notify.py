import logging
from email.message import EmailMessage
import smtplib

log = logging.getLogger(__name__)


def notify_delivered(to: str, parcel_id: int, host: str = "localhost") -> None:
    msg = EmailMessage()
    msg["To"] = to
    msg["From"] = "no-reply@parcelhub.dev"
    msg["Subject"] = f"Parcel {parcel_id} was delivered"
    msg.set_content("Your parcel has arrived.")
    with smtplib.SMTP(host) as smtp:
        n = smtp.send_message(msg)
    log.info("notified %s (%s refused)", to, len(n))
